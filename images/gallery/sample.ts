/** Images of the gallery that `npm test` judges too; the rest is for `npm run test:gallery`. */
export const sample: readonly string[] = ['nginx', 'redis', 'npm-start'];
