#!/bin/sh
':' //; exec node -- "$0" "$@" # without the --, node itself takes --env-file, and acts on what it says
// Read by whatever Node there is: this file and node-version.js use no syntax that Node 12, the first with ES modules,
// does not know; all else is imported after the check.
import { refusal, tooOld } from './node-version.js';

if (tooOld(process.versions.node)) {
  console.error(refusal(process.versions.node, process.argv.slice(2)));
  process.exitCode = 64;
} else {
  import('./start.js').catch((error) => {
    console.error(`lf-qualify: ${(error && error.stack) || error}`);
    process.exitCode = 70;
  });
}
