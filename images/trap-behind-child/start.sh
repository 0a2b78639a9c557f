#!/bin/sh
# Fault: the trap runs only after the foreground child has ended, and nothing tells that to end.
trap 'echo "stopping"; exit 0' TERM INT
node /images/reference/main.ts
