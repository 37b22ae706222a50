import { LANGUAGES, type Language, type Notice } from '@fairtick/protocol';
import type { NoticeWords } from '../notices/notice-texts.ts';
import { presentNotice, readNotices } from '../notices/notices.ts';
import type { ChannelNews } from '../platform/bus/channels.ts';
import type { Pool } from '../platform/db/database.ts';
import { BOUNDS } from '../platform/fairness/bounds.ts';
import { Line } from '../platform/fairness/line.ts';

interface Readers {
  isConnected(customerId: string): boolean;
  publishNotice(customerId: string, inLanguage: ReadonlyMap<Language, Notice>): void;
}

const SNAPSHOT = 20;

export class NoticeUpdates {
  readonly #parts: NoticeWords & { readonly pool: Pool };
  readonly #readers: Readers;
  readonly #turns = new Line(BOUNDS.updates);

  constructor(parts: NoticeWords & { pool: Pool }, readers: Readers) {
    this.#parts = parts;
    this.#readers = readers;
  }

  async publish({ customerId, noticeId }: ChannelNews<'notices'>): Promise<void> {
    if (!this.#readers.isConnected(customerId)) return;
    await this.#turns.take({ kind: 'inside', who: customerId }, () => this.#tell(customerId, noticeId));
  }

  async #tell(customerId: string, id: string): Promise<void> {
    const [stored] = await readNotices(this.#parts.pool, { customerId, id, limit: 1 });
    if (!stored) return;
    const present = (language: Language) => presentNotice(stored, this.#parts, language);
    this.#readers.publishNotice(
      customerId,
      new Map(LANGUAGES.map((language) => [language, present(language)])),
    );
  }

  async snapshot(customerId: string, language: Language): Promise<Notice[]> {
    const stored = await readNotices(this.#parts.pool, { customerId, limit: SNAPSHOT });
    return stored.map((one) => presentNotice(one, this.#parts, language));
  }
}
