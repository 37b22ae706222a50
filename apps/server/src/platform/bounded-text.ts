/** The text of an answer; null where it has more bytes, whose rest is not read. */
export async function boundedText(response: Response, mostBytes: number): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
