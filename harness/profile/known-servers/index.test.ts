import { describe, expect, it } from 'vitest';
import { processFact } from '../../judge/testing/history-builder.ts';
import { presetByName } from '../../contract/presets/index.ts';
import { resolveTerms } from '../../contract/terms.ts';
import type { ProcessFact } from '../../model/observation.ts';
import { findServer, knownServer, knownServers, serverByName, serverNames } from './index.ts';

/** PID 1 with this command line, and a child for each further one. */
const container = (...lines: readonly (readonly string[])[]): readonly ProcessFact[] =>
  lines.map((args, index) => processFact(index + 1, index === 0 ? 0 : 1, args));

const told: readonly (readonly [string, readonly string[]])[] = [
  ['nginx', ['nginx: master process nginx -g daemon off;']],
  ['nginx', ['/usr/sbin/nginx', '-g', 'daemon off;']],
  ['apache', ['/usr/sbin/apache2', '-k', 'start']],
  ['apache', ['/usr/sbin/apache2', '-D', 'FOREGROUND']],
  ['apache', ['httpd', '-DFOREGROUND']],
  ['apache', ['/usr/local/apache2/bin/httpd']],
  ['haproxy', ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg']],
  ['lighttpd', ['/usr/sbin/lighttpd', '-D', '-f', '/etc/lighttpd/lighttpd.conf']],
  ['squid', ['/usr/sbin/squid', '--foreground', '-YC']],
  ['caddy', ['caddy', 'run', '--config', '/etc/caddy/Caddyfile']],
  ['traefik', ['/usr/local/bin/traefik', '--api.insecure=true']],
  ['envoy', ['envoy', '-c', '/etc/envoy/envoy.yaml']],
  ['postgres', ['postgres']],
  ['postgres', ['/usr/lib/postgresql/17/bin/postgres', '-D', '/var/lib/postgresql/data']],
  ['mysql', ['mysqld']],
  ['mysql', ['/usr/sbin/mariadbd', '--user=mysql']],
  ['mongodb', ['mongod', '--bind_ip_all']],
  ['redis', ['redis-server *:6379']],
  ['redis', ['/usr/bin/redis-server 0.0.0.0:6379']],
  ['redis', ['valkey-server', '/etc/valkey.conf']],
  ['memcached', ['memcached', '-m', '64']],
  ['etcd', ['etcd', '--data-dir', '/var/lib/etcd']],
  [
    'rabbitmq',
    ['/usr/lib/erlang/erts-14/bin/beam.smp', '-W', 'w', '--', '-pa', '/usr/lib/rabbitmq/ebin', '-s', 'rabbit', 'boot'],
  ],
  ['erlang', ['/opt/app/erts-14/bin/beam.smp', '--', '-root', '/opt/app', '-noshell']],
  ['mosquitto', ['/usr/sbin/mosquitto', '-c', '/mosquitto/config/mosquitto.conf']],
  ['nats', ['/nats-server', '--config', 'nats-server.conf']],
  ['gunicorn', ['/usr/bin/python3', '/usr/bin/gunicorn', 'app:app']],
  ['gunicorn', ['gunicorn: master [app:app]']],
  ['gunicorn', ['python', '-u', '-m', 'gunicorn', 'app:app']],
  ['uvicorn', ['/usr/local/bin/python3.12', '/usr/local/bin/uvicorn', 'main:app', '--host', '0.0.0.0']],
  ['uvicorn', ['python', '-m', 'uvicorn', 'main:app']],
  ['uvicorn', ['/usr/local/bin/python3.12', '/usr/local/bin/fastapi', 'run', 'main.py']],
  ['hypercorn', ['/usr/bin/python3', '/usr/bin/hypercorn', 'main:app']],
  ['uwsgi', ['uwsgi', '--http', ':8080']],
  ['uwsgi', ['uWSGI master']],
  ['php-fpm', ['php-fpm: master process (/usr/local/etc/php-fpm.conf)']],
  ['php-fpm', ['php-fpm8.2', '-F']],
  [
    'tomcat',
    ['/usr/lib/jvm/java-17/bin/java', '-Dcatalina.base=/srv', 'org.apache.catalina.startup.Bootstrap', 'start'],
  ],
  ['jetty', ['java', '-Djetty.home=/usr/share/jetty9', '-jar', '/usr/share/jetty9/start.jar']],
  ['java', ['java', '-jar', '/app.jar']],
  ['puma', ['puma 6.4.2 (tcp://0.0.0.0:9292) [app]']],
  ['puma', ['/usr/bin/ruby3.1', '/usr/bin/puma', '-p', '9292']],
  ['unicorn', ['unicorn master -c /srv/unicorn.rb']],
  ['sshd', ['sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups']],
  ['supervisord', ['/usr/bin/python3', '/usr/bin/supervisord', '-n']],
  ['s6', ['/package/admin/s6/command/s6-svscan', '-d4', '--', '/run/service']],
  ['runit', ['runsvdir', '-P', '/etc/service']],
  ['prometheus', ['/bin/prometheus', '--config.file=/etc/prometheus/prometheus.yml']],
  ['node', ['node', '/app/server.js']],
];

describe('a container is told by its first process', () => {
  it.each(told)('%s: %j', (name, args) => {
    expect(knownServer(container(args))?.name).toBe(name);
  });

  it('no server is in the table that no line above tells, and none twice', () => {
    expect(serverNames.toSorted()).toEqual([...new Set(told.map(([name]) => name))].toSorted());
  });
});

describe('what only resembles a server is none', () => {
  it.each([
    [['nginx-exporter']],
    [['/usr/bin/nginx-prometheus-exporter', '--nginx.scrape-uri=http://nginx']],
    [['redis-cli', 'monitor']],
    [['redis-server *:26379 [sentinel]']],
    [['redis_exporter']],
    [['java-thing']],
    // without its signal handlers a JVM runs no hooks: 143 is then the end of what nobody handled
    [['java', '-Xrs', '-jar', '/app.jar']],
    [['postgres_exporter']],
    [['haproxy_exporter']],
    [['mysqldump']],
    [['httpd', '-f', '-p', '8080', '-h', '/www']],
    [['busybox', 'httpd', '-f', '-p', '8080']],
    [['python3', '/srv/gunicorn_like.py']],
    [['python3', '-m', 'http.server']],
    [['/usr/local/bin/python3', '/usr/local/bin/fastapi', 'dev', 'main.py']],
    [['/server']],
    [['cat', '/etc/nginx']],
    [['vi', 'nginx']],
  ])('%j', (args) => {
    expect(knownServer(container(args))).toBeUndefined();
  });

  it('nor is one that a service started for itself, nor a dead one', () => {
    expect(knownServer(container(['/server'], ['nginx']))).toBeUndefined();
    expect(knownServer([processFact(1, 0, ['sh']), processFact(2, 1, ['nginx'], { state: 'Z' })])).toBeUndefined();
    expect(knownServer([])).toBeUndefined();
    expect(knownServer([processFact(2, 1, ['nginx'])])).toBeUndefined();
  });
});

describe('the way down from PID 1', () => {
  const nginx = ['nginx: master process nginx'];
  it.each([
    ['a shell', [['sh', '-c', 'nginx'], nginx]],
    ['an init', [['/sbin/docker-init', '--', 'nginx'], nginx]],
    ['a launcher', [['su', 'www', '-c', 'nginx'], nginx]],
    ['a process that only keeps PID 1 busy', [['tail', '-f', '/dev/null'], nginx]],
    ['a helper that comes first', [['bash', '/start.sh'], ['sleep', '60'], nginx]],
  ])('leads through %s', (_, lines) => {
    expect(knownServer(container(...lines))?.name).toBe('nginx');
  });

  it('leads through several, to the process that tells', () => {
    const processes = [
      processFact(1, 0, ['/usr/bin/dumb-init', '/start.sh']),
      processFact(7, 1, ['/bin/sh', '/start.sh']),
      processFact(8, 7, ['/usr/lib/erlang/bin/beam.smp', '-s', 'rabbit', 'boot']),
    ];
    expect(findServer(processes)).toMatchObject({ server: { name: 'rabbitmq' }, process: { nsPid: 8 } });
  });

  it('ends at a supervisor: it is the one that gets the signal', () => {
    expect(knownServer(container(['python3', '/usr/bin/supervisord'], nginx))?.name).toBe('supervisord');
  });

  it('ends where the processes go round in a circle', () => {
    expect(knownServer([processFact(1, 2, ['sh']), processFact(2, 1, ['sh'])])).toBeUndefined();
  });
});

describe('the table', () => {
  const meaning = (name: string, signal: 'TERM' | 'INT' | 'QUIT' | 'HUP' | 'USR1' | 'WINCH') =>
    serverByName(name)?.signals[signal]?.meaning;

  it.each([
    ['nginx', { TERM: 'fast', INT: 'fast', QUIT: 'graceful', WINCH: 'workers' }],
    ['apache', { TERM: 'fast', WINCH: 'graceful', INT: undefined }],
    ['haproxy', { TERM: 'immediate', INT: 'immediate', USR1: 'graceful' }],
    ['postgres', { TERM: 'graceful', INT: 'fast', QUIT: 'immediate', HUP: 'reload' }],
    ['mysql', { TERM: 'fast', INT: 'ignored' }],
    ['php-fpm', { TERM: 'fast', INT: 'fast', QUIT: 'graceful' }],
    ['gunicorn', { TERM: 'graceful', INT: 'fast', QUIT: 'fast', HUP: 'reload' }],
    ['uvicorn', { TERM: 'graceful', INT: 'graceful', QUIT: undefined }],
    ['uwsgi', { TERM: 'reload', INT: 'immediate' }],
    ['runit', { TERM: 'immediate', HUP: 'graceful' }],
    ['node', { TERM: undefined, INT: undefined }],
  ] as const)('%s: %j', (name, signals) => {
    for (const [signal, expected] of Object.entries(signals)) {
      expect([signal, meaning(name, signal as 'TERM')]).toEqual([signal, expected]);
    }
  });

  it.each(knownServers.map((server) => [server.name, server] as const))(
    '%s says where all that is from',
    (_, server) => {
      expect(server.documentation).not.toBe('');
      expect(server.title).not.toBe('');
      expect(server.name).toMatch(/^[a-z][a-z0-9-]*$/);
      for (const fact of Object.values(server.signals))
        expect(`SIGTERM ${fact.says}`).toMatch(/^SIGTERM [a-z][^\n]*[^.;, ]$/);
      for (const source of server.recoveryLines ?? []) expect(() => new RegExp(source)).not.toThrow();
    },
  );

  it.each(knownServers.flatMap(({ name, accepts = [] }) => accepts.map((entry) => [name, entry] as const)))(
    '%s: a status is accepted with a reason and is never that of a kill: %j',
    (_, entry) => {
      const overrides = [{ origin: 'discovery' as const, terms: { acceptedStatuses: [entry] } }];
      const { terms } = resolveTerms(presetByName('baseline'), { stopSignal: 'SIGTERM', overrides });
      expect(terms.acceptedStatuses).toContainEqual(entry);
      expect(entry.reason).toMatch(/\w+ .*\w/);
    },
  );

  it.each([
    ['postgres', '2026-01-01 LOG:  database system was not properly shut down; automatic recovery in progress'],
    ['mysql', '[Note] InnoDB: Starting crash recovery from checkpoint LSN=45118'],
    ['mongodb', '{"msg":"Detected unclean shutdown - Lock file is not empty"}'],
    ['redis', '# Bad file format reading the append only file appendonly.aof.1.incr.aof'],
    ['rabbitmq', 'Message store "628WB/msg_store_persistent": rebuilding indices from scratch'],
  ])('%s: a start after an unclean stop is told by %j', (name, line) => {
    const told = (text: string) => serverByName(name)?.recoveryLines?.some((source) => new RegExp(source).test(text));
    expect(told(line)).toBe(true);
    expect(told('ready to accept connections')).toBe(false);
  });

  it('a value that is kept is one line of letters and digits', () => {
    const { state } = serverByName('redis') ?? {};
    expect(state).toMatchObject({
      write: 'SET lf-qualify:state TOKEN\r\n',
      read: 'GET lf-qualify:state\r\n',
      expect: 'TOKEN',
    });
    expect(serverByName('memcached')?.state).toBeUndefined();
    expect(serverByName('nothing')).toBeUndefined();
  });
});
