/** Half of it is far more than what fits into one packet. */
const VALUES_BYTES = 64 * 1024;
const FILE_BYTES = 4 * 1024;

/** What the played config server has for one of its paths. */
export interface ConfigAnswer {
  readonly type: string;
  readonly body: Buffer;
}

/** The config that the harness plays: its answers by path, and the files that a service makes of them, by name. */
export interface PlayedConfig {
  readonly answers: ReadonlyMap<string, ConfigAnswer>;
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * As light-fabric's services take it (light-fabric.md, remote bootstrap; `crates/light-runtime/src/runtime.rs` there):
 * `configs` answers with the text of `values.yml` itself, as YAML; `certs` and `files` with a JSON object of file names and
 * their contents in base64. The values set nothing that any service knows.
 */
export function playedConfig(): PlayedConfig {
  const values = padded('lfQualify.played: true\n', '# end of values.yml\n', VALUES_BYTES);
  const ca = padded('# no certificate\n', '# end of played-ca.pem\n', FILE_BYTES);
  const file = padded('# nothing in particular\n', '# end of played-file.txt\n', FILE_BYTES);
  const json = (name: string, content: Buffer): ConfigAnswer => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ [name]: content.toString('base64') })),
  });
  return {
    answers: new Map([
      ['/config-server/configs', { type: 'application/yaml', body: values }],
      ['/config-server/certs', json('played-ca.pem', ca)],
      ['/config-server/files', json('played-file.txt', file)],
    ]),
    files: new Map([
      ['values.yml', values],
      ['played-ca.pem', ca],
      ['played-file.txt', file],
    ]),
  };
}

/** Comment lines that differ, so that no part of it can be taken for another, between its first line and its last. */
function padded(first: string, last: string, bytes: number): Buffer {
  let text = first;
  for (let line = 1; text.length + last.length < bytes; line += 1) text += `# line ${line} of what lf-qualify plays\n`;
  return Buffer.from(text + last);
}
