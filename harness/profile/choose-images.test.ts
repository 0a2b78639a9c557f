import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseImages, enginesOf, loadProfiles } from './choose-images.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lf-qualify-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Write the files and choose by the folder, or by the one file that is called p.yaml. */
async function choose(files: Readonly<Record<string, string>>, ...images: readonly string[]) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `version: 1\n${text}`);
  const one = Object.keys(files).join() === 'p.yaml';
  const chosen = chooseImages(await loadProfiles(one ? join(folder, 'p.yaml') : folder, { environment: {} }), images);
  return chosen.map(({ reference, name, profile }) => [reference, name, profile?.port]);
}

const said = async (choice: Promise<unknown>): Promise<string> =>
  await choice.then(
    () => 'no error',
    (error: Error) => error.message.replaceAll(folder, '.'),
  );

describe('one file', () => {
  const several =
    'port: 80\nimages:\n  - { image: a, port: 81 }\n  - { image: "a:2", port: 82 }\n  - { image: "a:2", name: small, port: 83 }';
  it.each([
    [
      'a profile of one image is for any image of the command line',
      'image: a\nport: 80',
      ['x:1', 'y:1'],
      [
        ['x:1', undefined, 80],
        ['y:1', undefined, 80],
      ],
    ],
    ['without images there, its own', 'image: a\nport: 80', [], [['a', undefined, 80]]],
    [
      'or all of them',
      several,
      [],
      [
        ['a', undefined, 81],
        ['a:2', undefined, 82],
        ['a:2', 'small', 83],
      ],
    ],
    ['the entry of the repository', several, ['a:1'], [['a:1', undefined, 81]]],
    [
      'the entries of exactly this image',
      several,
      ['a:2'],
      [
        ['a:2', undefined, 82],
        ['a:2', 'small', 83],
      ],
    ],
    ['else what stands outside', several, ['b:1'], [['b:1', undefined, 80]]],
  ])('%s', async (_, text, images, expected) => {
    expect(await choose({ 'p.yaml': text }, ...images)).toEqual(expected);
  });

  it('one name cannot stand for two images', async () => {
    const text = 'images: [{ image: a, name: same }]';
    expect(await said(choose({ 'p.yaml': text }, 'a:1', 'a:2'))).toBe(
      'two images would be reported as "same": a:1 (./p.yaml) and a:2 (./p.yaml); give each a name: of its own',
    );
  });

  it('that names no image needs one on the command line', async () => {
    expect(await said(choose({ 'p.yaml': 'port: 80' }))).toMatch(
      /^no image is given: name one, .*"image:" or "images:"$/,
    );
    expect(() => chooseImages(undefined, [])).toThrow(/^no image is given/);
    expect(chooseImages(undefined, ['a', 'b'])).toEqual([{ reference: 'a' }, { reference: 'b' }]);
  });
});

describe('a folder', () => {
  const files = {
    'a.yaml': 'image: a\nport: 80',
    'b.yaml': 'images: [{ image: "b:1", port: 81 }, { image: "b:2", port: 82 }]',
    'notes.txt': 'not: a profile',
  };

  it.each([
    [
      [],
      [
        ['a', undefined, 80],
        ['b:1', undefined, 81],
        ['b:2', undefined, 82],
      ],
    ],
    [['a:7'], [['a:7', undefined, 80]]],
    [
      ['b:2', 'a'],
      [
        ['b:2', undefined, 82],
        ['a', undefined, 80],
      ],
    ],
  ])('for %j', async (images, expected) => {
    expect(await choose(files, ...images)).toEqual(expected);
  });

  it('has a profile for each image that is asked for', async () => {
    expect(await said(choose(files, 'c:1'))).toBe(
      '--profile .: no profile is for image c:1; there are those for a, b:1, b:2',
    );
    expect(await said(choose(files, 'b:3'))).toMatch(/no profile is for image b:3/);
  });

  it('has no two for one image', async () => {
    expect(await said(choose({ ...files, 'c.yaml': 'image: a:1' }, 'a:1'))).toBe(
      '--profile .: two profiles are for image a:1: ./a.yaml and ./c.yaml; let one of them name another',
    );
    expect(await said(choose({ ...files, 'c.yaml': 'image: a' }))).toBe(
      'two images would be reported as "a": a (./a.yaml) and a (./c.yaml); give each a name: of its own',
    );
  });

  it('tells the mistakes of all its files', async () => {
    const broken = { 'a.yaml': 'port: 0\nimage: a', 'b.yaml': 'grase: 1s\nimage: b', 'c.yaml': 'port: 80' };
    expect((await said(choose(broken))).split('\n')).toEqual([
      './a.yaml:2: port: expected a port from 1 to 65535, found 0',
      expect.stringMatching(/^\.\/b\.yaml:2: grase: unknown key/),
      './c.yaml:1: image: expected the image that this profile of a folder is for, found nothing',
    ]);
  });

  it('without a profile is an error, and so is a path that is not there', async () => {
    expect(await said(choose({ 'notes.txt': '' }))).toBe(
      '--profile .: a folder without a profile; put *.yaml files into it',
    );
    expect(await said(loadProfiles(join(folder, 'none')))).toBe(
      'profile ./none: no such file; name an existing file with --profile',
    );
  });
});

describe('the engines that profiles ask for', () => {
  const engines = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `version: 1\n${text}`);
    return enginesOf(chooseImages(await loadProfiles(folder, { environment: {} }), []));
  };

  it.each([
    [{ 'a.yaml': 'image: a', 'b.yaml': 'image: b' }, []],
    [
      { 'a.yaml': 'image: a\nengines: [podman, docker]', 'b.yaml': 'image: b\nengines: [docker, podman]' },
      ['podman', 'docker'],
    ],
  ])('%j', async (files, expected) => {
    expect(await engines(files)).toEqual(expected);
  });

  it.each([
    [
      { 'a.yaml': 'image: a\nengines: [docker]', 'b.yaml': 'image: b' },
      'engines: ./a.yaml says docker, ./b.yaml says nothing; ',
    ],
    [
      { 'a.yaml': 'image: a\nengines: [docker]', 'b.yaml': 'image: b\nengines: [podman]' },
      'engines: ./a.yaml says docker, ./b.yaml says podman; ',
    ],
  ])('must agree: %j', async (files, message) => {
    expect(await said(engines(files))).toBe(`${message}let them agree, or choose with --engine`);
  });
});
