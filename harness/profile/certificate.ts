import { X509Certificate } from 'node:crypto';

/** Whether a text is meant as PEM itself and not as the path of a file. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/**
 * The certificates in a PEM text, and nothing else of it: what stands beside them, a key perhaps, is nobody's business.
 * Undefined where there is none, or where one of them cannot be read.
 */
export function certificatesIn(text: string): string | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every(isReadable) ? `${blocks.join('\n')}\n` : undefined;
}

function isReadable(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== undefined;
  } catch {
    return false;
  }
}
