const PIECE = 65_536;
const MOST = 64 * 1024 * 1024;

/** So many bytes in messages of at most 64 KiB. */
const pieces = (bytes: number): readonly string[] => {
  const count = Math.ceil(Math.min(bytes, MOST) / PIECE);
  return Array.from({ length: count }, (_, n) => '.'.repeat(Math.min(PIECE, bytes - n * PIECE)));
};

/** What is sent upon a message: a registration and a ping are answered, `flood N` by N bytes, all else by nothing. */
export const answerMessage = (text: string): readonly string[] => {
  if (text === 'ping') return ['pong'];
  if (text === '{"register":true}') return ['{"registered":true}'];
  const bytes = /^flood (\d+)$/.exec(text)?.[1];
  return bytes === undefined ? [] : pieces(Number(bytes));
};
