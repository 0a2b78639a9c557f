#!/bin/sh
# Two seconds of set-up, with a trap from the first line on and what takes long in the background.
trap 'kill $!; exit 0' TERM INT
sleep 2 &
wait $!
exec /server
