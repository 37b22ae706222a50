import { STREAM_LIMITS } from '../platform/stream-limits.ts';
import { LIMITS } from '../platform/throttle/attempt-limits.ts';
import { ConfigError } from './config-error.ts';

export const SETTINGS: readonly string[] = [
  ...`PORT HOST METRICS_PORT PUBLIC_ORIGIN OFFICE_PORT OFFICE_ORIGIN DATABASE_URL DATABASE_URL_FILE DATABASE_SERVER_URL
    DATABASE_SERVER_URL_FILE DATABASE_CHAIN_URL DATABASE_CHAIN_URL_FILE DATABASE_READ_URL DATABASE_READ_URL_FILE
    NATS_URL NATS_URL_FILE DATA_DIR BACKUP_DIR
    SIGNING_KEY_FILE ENCRYPTION_KEY_FILE HEIC_PICTURES HOLD_SECONDS MODE OPERATOR_PROFILE ROLE FEED REPLAY_FILES
    REPLAY_SPEED SOURCES_FILE CHAINS_FILE VENDOR_FILE WITNESSES NEWS_FEEDS SUPPORT_HOURS SUPPORT_ZONE SUPPORT_ANSWER_MINUTES CHAT_URL
    TRUST_PROXY CLIENT_ADDRESS_HEADER OTEL_EXPORTER_OTLP_ENDPOINT RECEIVE_SECONDS DRAIN_SECONDS LOG_LEVEL LIMIT_REQUESTS LIMIT_CONNECTIONS`.split(
    /\s+/,
  ),
  ...[...Object.values(LIMITS), ...Object.values(STREAM_LIMITS)].map(({ setting }) => setting),
];
const OWN_PREFIX = /^(LIMIT|OFFICE|SUPPORT|REPLAY)_/;
/** Shorter names differ from those of other programs by a letter: MODE from NODE, PORT from SORT. */
const LEAST_LENGTH = 7;
const MOST_MISTAKES = 2;

export function refuseMisspelt(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(env)) {
    if (!env[name] || SETTINGS.includes(name)) continue;
    const [nearest, mistakes] = nearestTo(name.toUpperCase());
    const isNear = name.length >= LEAST_LENGTH && mistakes <= MOST_MISTAKES;
    if (isNear || OWN_PREFIX.test(name)) throw new ConfigError(`${name} is no setting. Is ${nearest} meant?`);
  }
}

function nearestTo(name: string): readonly [string, number] {
  const all = SETTINGS.map((setting) => [setting, mistakesBetween(name, setting)] as const);
  return all.reduce((best, one) => (one[1] < best[1] ? one : best));
}

/** Levenshtein distance. */
function mistakesBetween(name: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [index, letter] of [...name].entries()) {
    const next = [index + 1];
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] as number) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] as number) + 1, (next[place] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
