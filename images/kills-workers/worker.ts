// A worker that is busy until it is told to leave.
const busy = setInterval(() => undefined, 1000);
process.on('message', () => {
  clearInterval(busy);
  process.disconnect();
});
