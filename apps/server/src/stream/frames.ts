import type { PrivateTopicKind } from '@fairtick/protocol';

/** Text frames of RFC 6455, section 5.2, built here so that one frame serves many readers: neither masked nor compressed. */
const FINAL_TEXT = 0x81;

export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

export function topicMessage(topic: string, seq: number, type: 'snapshot' | 'change', json: string): string {
  return `{"topic":${JSON.stringify(topic)},"seq":${seq},"type":"${type}","data":${json}}`;
}

/** The values of a change by key: for a slow reader, a later value of the same key may replace an earlier one. */
export type Parts = () => readonly (readonly [string, unknown])[];

export interface Readers {
  isConnected(customerId: string): boolean;
  publishTo(customerId: string, topic: PrivateTopicKind, data: unknown, parts: Parts): void;
}

const ZERO = 0x30;

export class Change {
  readonly topic: string;
  readonly parts: Parts;
  readonly #json: string;
  /** The newest frame, the number in it, and the offset at which the number ends. */
  #frame: Buffer | null = null;
  #seq = 0;
  #numberEnd = 0;

  /** @param json the data, written */
  constructor(topic: string, json: string, parts: Parts) {
    this.topic = topic;
    this.parts = parts;
    this.#json = json;
  }

  /** The frame for a reader's number. It may be shared, so callers must not modify it. */
  frame(seq: number): Buffer {
    const last = this.#frame;
    if (last && seq === this.#seq) return last;
    if (last && digitsOf(seq) === digitsOf(this.#seq)) this.#frame = renumbered(last, seq, this.#numberEnd);
    else this.#write(seq);
    this.#seq = seq;
    return this.#frame as Buffer;
  }

  #write(seq: number): void {
    const frame = textFrame(topicMessage(this.topic, seq, 'change', this.#json));
    this.#frame = frame;
    this.#numberEnd = frame.indexOf(`,"type":"change","data":`);
  }
}

function renumbered(frame: Buffer, seq: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(frame.length);
  frame.copy(copy);
  let rest = seq;
  for (let at = end - 1; rest > 0; at -= 1) {
    copy[at] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return copy;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits += 1;
  return digits;
}
