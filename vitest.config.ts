import { configDefaults, defineConfig } from 'vitest/config';

/** Time is measured in these tests, never used as a limit: a hung one is ended by the outer limit of CI. */
const noLimit = 0;

const folders = ['harness', 'scenarios', 'images', 'scripts', 'helper'];
const engineTests = folders.map((folder) => `${folder}/**/*.engine.test.ts`);
/** Tables of real servers and of cases: `npm run test:gallery`, kept out of `npm test` but for a sample. */
const galleryTests = folders.map((folder) => `${folder}/**/*.gallery.test.ts`);

export default defineConfig({
  test: {
    retry: 0,
    testTimeout: noLimit,
    hookTimeout: noLimit,
    passWithNoTests: false,
    allowOnly: false,
    exclude: [...configDefaults.exclude, 'reports/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: folders.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...configDefaults.exclude, 'reports/**', ...engineTests, ...galleryTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: engineTests,
          // Containers of two files at once would disturb each other's measurements.
          fileParallelism: false,
          sequence: { concurrent: false },
        },
      },
      {
        extends: true,
        test: {
          name: 'gallery',
          include: galleryTests,
          fileParallelism: false,
          sequence: { concurrent: false },
        },
      },
    ],
  },
});
