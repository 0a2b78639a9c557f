import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { otherCertificate } from '../wire/testing/certificate.ts';
import { call } from './testing.suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-ca-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a service whose certificate is not of the CA given is not judged by TLS, and never fails for it', async () => {
  writeFileSync(join(folder, 'ca.pem'), otherCertificate);
  const profile = join(folder, 'lf-qualify.yaml');
  const tls = 'tls: { port: 8443, ca: ca.pem, serverName: reference.lf-qualify.test, http2: true }';
  writeFileSync(profile, `version: 1\n${tls}\n`);
  const only = 'DRN-1,DRN-7,ADM-1,drain/many-requests,drain/http2';
  const run = call(['lf-qualify/reference:dev', '--engine', 'docker', '--profile', profile, '--only', only]);
  await run.process;
  const verdicts = run.report().targets.flatMap((target) => target.verdicts);
  const of = (id: string) => verdicts.find(({ clause }) => clause === id);
  expect(of('DRN-1')).toMatchObject({ outcome: 'pass' });
  expect(of('DRN-7')).toMatchObject({
    outcome: 'not exercised',
    seen: expect.stringMatching(/ca or serverName is not/),
  });
  expect(of('ADM-1')).toMatchObject({
    outcome: 'not exercised',
    seen: expect.stringMatching(/certificate is not accepted/),
  });
  expect(verdicts.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  run.dispose();
});
