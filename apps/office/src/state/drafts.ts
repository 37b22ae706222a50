import { readStored, store } from './settings.ts';

const PREFIX = 'draft ';
/** Drafts that a browser keeps; the oldest go first. */
const MOST = 50;

/** The mark of the login is part of the name: no other login reads the draft. */
const keyOf = (name: string) => `${PREFIX}${readStored('hasSession')} ${name}` as const;

/** The unsent values of a form; `empty` without a draft, or with one that was edited into another shape. */
export function readDraft<Values>(name: string, empty: Values): Values {
  try {
    const { values } = JSON.parse(readStored(keyOf(name)) ?? '');
    return isLike(values, empty) ? values : empty;
  } catch {
    return empty;
  }
}

/** Keeps what is being typed; nothing where it is what the form begins with. */
export function keepDraft<Values>(name: string, values: Values, empty: Values): void {
  const isEmpty = JSON.stringify(values) === JSON.stringify(empty);
  store(keyOf(name), isEmpty ? null : JSON.stringify({ values, atMs: Date.now() }));
  for (const key of keptKeys().slice(MOST)) store(key, null);
}

export const forgetDraft = (name: string): void => store(keyOf(name), null);

/** Forgets all drafts, when a session begins or ends. */
export const forgetDrafts = (): void => {
  for (const key of keptKeys()) store(key, null);
};

type DraftKey = ReturnType<typeof keyOf>;

/** The keys of all drafts, the newest first. */
function keptKeys(): DraftKey[] {
  try {
    const keys = Object.keys(localStorage).filter((key): key is DraftKey => key.startsWith(PREFIX));
    return keys
      .map((key) => ({ key, atMs: Number(/"atMs":(\d+)\}$/.exec(readStored(key) ?? '')?.[1] ?? 0) }))
      .sort((a, b) => b.atMs - a.atMs)
      .map(({ key }) => key);
  } catch {
    return [];
  }
}

/** Whether a value has the parts of another one, each of the same type. */
const isLike = (value: unknown, like: unknown): boolean =>
  typeof value === typeof like &&
  (typeof like !== 'object' ||
    like === null ||
    Object.entries(like).every(([name, part]) =>
      isLike((value as Readonly<Record<string, unknown>> | null)?.[name], part),
    ));
