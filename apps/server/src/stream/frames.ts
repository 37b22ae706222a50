/**
 * Text frames of the WebSocket protocol (RFC 6455, section 5.2), made here so that one frame serves all readers: a server's
 * frames carry no mask, and this stream is not compressed.
 */
const FINAL_TEXT = 0x81;

/** A text as one frame. */
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

/** What a change holds, by key: what a later state of the same key may replace for a slow reader. */
export type Parts = () => readonly (readonly [string, unknown])[];

/** A change of a topic, on its way to all its readers. */
export class Change {
  readonly topic: string;
  readonly parts: Parts;
  readonly #json: string;
  /** By the reader's number: those who came at the same time share a frame. */
  readonly #frames = new Map<number, Buffer>();

  constructor(topic: string, data: unknown, parts: Parts) {
    this.topic = topic;
    this.parts = parts;
    this.#json = JSON.stringify(data);
  }

  /** Written by the first reader that has this number next; nobody may change it. */
  frame(seq: number): Buffer {
    let frame = this.#frames.get(seq);
    if (!frame) {
      frame = textFrame(topicMessage(this.topic, seq, 'change', this.#json));
      this.#frames.set(seq, frame);
    }
    return frame;
  }
}
