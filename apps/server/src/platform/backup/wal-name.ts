/** Names of WAL segments: timeline, high and low part of the number, eight hex digits each. */
export interface WalSegment {
  readonly timeline: number;
  readonly number: number;
}

const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})(000000[0-9A-F]{2})$/;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const PER_HIGH_PART = 0x1_0000_0000 / SEGMENT_BYTES;

/** Null for other files of the archive: timeline histories, backup labels, drafts. */
export function parseSegment(name: string): WalSegment | null {
  const [, timeline, high, low] = SEGMENT.exec(name) ?? [];
  if (!timeline || !high || !low) return null;
  return {
    timeline: Number.parseInt(timeline, 16),
    number: Number.parseInt(high, 16) * PER_HIGH_PART + Number.parseInt(low, 16),
  };
}

export function formatSegment({ timeline, number }: WalSegment): string {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(timeline) + hex(Math.floor(number / PER_HIGH_PART)) + hex(number % PER_HIGH_PART);
}

export function newestOf(names: readonly string[]): number | null {
  const numbers = names.flatMap((name) => parseSegment(name)?.number ?? []);
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/** The last line of a history file has the parent and the position, `X/Y`. */
export function segmentOfBranch(history: string): number | null {
  const last = history.trimEnd().split('\n').at(-1) ?? '';
  const [, high, low] = /^\d+\t([0-9A-F]+)\/([0-9A-F]+)\t/.exec(last) ?? [];
  if (!high || !low) return null;
  return Number.parseInt(high, 16) * PER_HIGH_PART + Math.floor(Number.parseInt(low, 16) / SEGMENT_BYTES);
}

/** A hole ends every recovery silently: PostgreSQL takes it for the archive's end. */
export function firstHole(names: readonly string[], fromNumber: number): number | null {
  const numbers = new Set(names.flatMap((name) => parseSegment(name)?.number ?? []));
  const newest = newestOf(names) ?? 0;
  for (let number = fromNumber; number < newest; number += 1) if (!numbers.has(number)) return number;
  return null;
}

/** In the header of a segment's first page, little-endian at byte 24. */
export function systemIdentifierOf(segment: Buffer): string {
  return segment.readBigUInt64LE(24).toString();
}
