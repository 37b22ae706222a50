import { readStored, store } from './settings.ts';

/** The pages whose addresses name a case. */
const KINDS = [
  'deposits',
  'withdrawals',
  'identities',
  'recoveries',
  'chats',
  'customers',
  'orders',
] as const;

/** A case that the reader has opened; nothing here tells about a person. */
export interface RecentCase {
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
  readonly openedAt: number;
}
const MOST = 10;

/** The case that a page's address names; null: none. */
export const caseOf = (location: string): string | null => /^\/(\d{1,18})$/.exec(location)?.[1] ?? null;

/** The cases that a member of staff opened last on this device, newest first. */
export function recentCases(staffId: string): readonly RecentCase[] {
  try {
    const stored: unknown = JSON.parse(readStored(`recent ${staffId}`) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isCase).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

const isCase = (one: Partial<RecentCase> | null): one is RecentCase =>
  KINDS.some((kind) => kind === one?.kind) &&
  /^\d{1,18}$/.test(String(one?.id)) &&
  Number.isSafeInteger(one?.openedAt);

/** Adds the case that an address names, if it names one. */
export function rememberCase(staffId: string, path: string, openedAt: number): void {
  const [, kind, id] = path.split('/');
  const opened = { kind, id, openedAt } as Partial<RecentCase>;
  if (!isCase(opened)) return;
  const others = recentCases(staffId).filter((one) => one.kind !== kind || one.id !== id);
  store(`recent ${staffId}`, JSON.stringify([opened, ...others].slice(0, MOST)));
}
