import type { ChatMessage, ChatState } from '@fairtick/protocol';
import { newKey } from '@fairtick/ui/keys';
import { create } from 'zustand';
import { get, NetworkError, post, RefusedError, SessionError } from '../api/client.ts';
import { stream, useStream } from '../api/stream.ts';
import { upload } from '../api/upload.ts';
import { useChatStand } from '../live/chat.ts';
import { customerNow, useSession } from '../state/session.ts';
import { readOwn, storeOwn } from '../state/storage.ts';
import { isGap, mergeMessages, type Outgoing } from './chat-model.ts';

interface ChatStore {
  /** Oldest first; null until the newest are loaded. */
  readonly messages: readonly ChatMessage[] | null;
  readonly fault: Error | null;
  /** Cursor of the page before the oldest message; null if there is none. */
  readonly olderFrom: string | null;
  readonly outbox: readonly Outgoing[];
}

const PAGE = 20;
/** The most unsent messages kept while the connection is gone. */
const MAX_OUTBOX = 50;
const RETRY_MS = 4_000;
/** How long the stream has for the first messages before a call reads them. */
const FIRST_MS = 4_000;
const empty = (): ChatStore => ({ messages: null, fault: null, olderFrom: null, outbox: [] });

export const useChat = create<ChatStore>()(() => ({ ...empty(), outbox: readOutbox() }));
/** Whose conversation this is. The outbox is kept for each customer, also after a logout. */
let customer = customerNow();
useSession.subscribe(() => {
  if (customer === customerNow()) return;
  customer = customerNow();
  useChat.setState({ ...empty(), outbox: readOutbox() });
  void sendAll();
});

export function followMessages(): () => void {
  const late = setTimeout(() => void readFirst(), FIRST_MS);
  const leave = stream.subscribe('chat', (message) => {
    if (message.type === 'snapshot') takeNews(message.data, true);
    else takeNews([message.data], false);
  });
  return () => {
    clearTimeout(late);
    leave();
  };
}

export async function readFirst(): Promise<void> {
  if (useChat.getState().messages !== null) return;
  useChat.setState({ fault: null });
  try {
    await readNewest();
  } catch (error) {
    useChat.setState({ fault: error as Error });
  }
}

/** Takes new messages. If messages before them are missing, drops the known ones; older pages are then read again. */
function takeNews(news: readonly ChatMessage[], isSnapshot: boolean): void {
  const { messages } = useChat.getState();
  if (messages === null || isGap(messages, news)) {
    const all = mergeMessages([], news);
    useChat.setState({ messages: all, fault: null, olderFrom: olderOf(all) });
    // Messages are missing in between: fetch the newest page.
    if (!isSnapshot)
      readNewest().catch(() => {
        // The reader can still load the older page.
      });
    return;
  }
  useChat.setState({ messages: mergeMessages(messages, news) });
}

const olderOf = (messages: readonly ChatMessage[]): string | null => {
  const first = messages[0]?.place ?? 1;
  return first > 1 ? String(first) : null;
};

/** @throws the error of the call */
async function readNewest(): Promise<void> {
  const { items, state } = await get('chat/history', { limit: PAGE }, { isSilent: true });
  takeStand(state);
  takeNews(items, true);
}

/** Loads the page before the oldest message. @throws the error of the call */
export async function readOlder(): Promise<void> {
  const { olderFrom } = useChat.getState();
  if (olderFrom === null) return;
  const { items } = await get('chat/history', { limit: PAGE, cursor: olderFrom });
  const messages = mergeMessages(useChat.getState().messages ?? [], items);
  useChat.setState({ messages, olderFrom: olderOf(messages) });
}

function takeStand(stand: ChatState): void {
  const known = useChatStand.getState().stand;
  // The answer is older than what the stream has already sent.
  if (known && stand.lastPlace < known.lastPlace) return;
  useChatStand.setState({ stand });
}

/** Sends a message: shows it at once, and retries until it is stored or refused. Returns false if the outbox is full. */
export function say(text: string | null, image: Blob | null): boolean {
  const { outbox, messages } = useChat.getState();
  if (outbox.length >= MAX_OUTBOX) return false;
  const after = messages?.at(-1)?.place ?? 0;
  keep([...outbox, { key: newKey(), text, image, at: Date.now(), after, status: 'sending', fault: null }]);
  void sendAll();
  return true;
}

/** Retries a refused message under the same key; {@link takeBack} removes it instead. */
export function sayAgain(key: string): void {
  change(key, { status: 'sending', fault: null });
  void sendAll();
}
export function takeBack(key: string): void {
  keep(useChat.getState().outbox.filter((one) => one.key !== key));
}

let isSending = false;
let retry: ReturnType<typeof setTimeout> | null = null;

async function sendAll(): Promise<void> {
  if (isSending) return;
  isSending = true;
  if (retry !== null) clearTimeout(retry);
  retry = null;
  try {
    for (;;) {
      const next = useChat.getState().outbox.find(({ status }) => status !== 'refused');
      if (!next) return;
      if (!(await sendOne(next))) return;
    }
  } finally {
    isSending = false;
  }
}

/** Returns false when the connection is gone; a later retry or the reconnection sends again. */
async function sendOne(one: Outgoing): Promise<boolean> {
  change(one.key, { status: 'sending' });
  const fields = one.text === null ? {} : { text: one.text };
  const pictures: Record<string, Blob> = one.image === null ? {} : { image: one.image };
  try {
    const sent = await upload('chat/send', { fields, pictures }, { isSilent: true, idempotencyKey: one.key });
    takeBack(one.key);
    // If the conversation is not loaded, the message is read when it is opened.
    if (useChat.getState().messages !== null) takeNews([sent], false);
    return true;
  } catch (error) {
    if (error instanceof SessionError) return false;
    if (error instanceof RefusedError) {
      change(one.key, { status: 'refused', fault: error.message });
      return true;
    }
    if (!(error instanceof NetworkError)) throw error;
    change(one.key, { status: 'waiting' });
    retry = setTimeout(() => void sendAll(), RETRY_MS);
    return false;
  }
}

addEventListener('online', () => void sendAll());
useStream.subscribe((now, before) => {
  if (now.isLive && !before.isLive) void sendAll();
});

function change(key: string, changes: Partial<Outgoing>): void {
  keep(useChat.getState().outbox.map((one) => (one.key === key ? { ...one, ...changes } : one)));
}

/** Saves unsent texts with their keys for the next page load; pictures are not saved. */
function keep(outbox: readonly Outgoing[]): void {
  useChat.setState({ outbox });
  const words = outbox.flatMap(({ key, text, image, at }) => (image === null ? [{ key, text, at }] : []));
  if (customer !== null) storeOwn('chatOutbox', customer, words.length > 0 ? JSON.stringify(words) : null);
}

/** The text that is being typed: kept as unsent messages are, and so there after a reload. */
export const readDraft = (): string => (customer && readOwn('chatDraft', customer)) ?? '';
export const keepDraft = (text: string): void => {
  if (customer !== null) storeOwn('chatDraft', customer, text || null);
};

function readOutbox(): readonly Outgoing[] {
  try {
    const id = customerNow();
    const kept: unknown = JSON.parse((id && readOwn('chatOutbox', id)) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.slice(0, MAX_OUTBOX).flatMap((one: { key?: unknown; text?: unknown; at?: unknown } | null) =>
      typeof one?.key === 'string' && typeof one.text === 'string'
        ? [
            {
              key: one.key,
              text: one.text,
              image: null,
              at: Number(one.at),
              after: 0,
              status: 'waiting',
              fault: null,
            },
          ]
        : [],
    );
  } catch {
    return [];
  }
}

let typingMs = Number.NEGATIVE_INFINITY;
export function tellTyping(): void {
  if (performance.now() - typingMs < 3_000 || (useChat.getState().messages?.length ?? 0) === 0) return;
  typingMs = performance.now();
  // A lost typing signal does no harm.
  post('chat/typing', {}, { isSilent: true }).catch(() => {});
}

export function markRead(place: number): void {
  post('chat/mark', { place, as: 'read' }, { isSilent: true }).catch(() => {
    // The messages stay unread; the next display tries again.
  });
}

// Sends what was left in the outbox by an earlier page load.
if (useChat.getState().outbox.length > 0) void sendAll();
