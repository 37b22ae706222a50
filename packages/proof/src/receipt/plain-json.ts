const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * Whether a JSON text has only one reading: no object repeats a member, and numbers are whole, without sign, point or exponent.
 * `JSON.parse` hides both: it takes the last of two equal members, and reads 5.00000000000000000001 as 5.
 */
export function isPlainJson(text: string): boolean {
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const members = open.at(-1);
      const name = JSON.parse(last) as string;
      if (members?.has(name)) return false;
      members?.add(name);
    } else if (/^[-0-9]/.test(token) && !/^(0|[1-9][0-9]*)$/.test(token)) return false;
    last = token;
  }
  return true;
}
