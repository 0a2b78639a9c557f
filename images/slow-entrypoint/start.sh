#!/bin/sh
# Fault: two seconds of set-up in a shell that has no trap: as PID 1 it loses every signal.
sleep 2
exec /server
