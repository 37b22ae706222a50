import { resolve } from 'node:path';
import { STREAM_LIMITS } from '../platform/stream-limits.ts';
import { LIMITS } from '../platform/throttle/attempt-limits.ts';
import { type ChainSettings, readChainsFile } from './chains-file.ts';
import { ConfigError, Faults } from './config-error.ts';
import { readNatsUrl } from './nats-setting.ts';
import { type NewsFeedSetting, readNewsFeedSettings } from './news-feeds.ts';
import { readOperatorProfile } from './operator-profile.ts';
import { type Env, readChoice, readInteger } from './read-values.ts';
import { secretSetting } from './secret-setting.ts';
import { refuseMisspelt } from './setting-names.ts';
import { readSupport } from './support-config.ts';
import { readVendorFile, type VendorSettings } from './vendor-file.ts';
import { readWitnesses } from './witness-setting.ts';

export { ConfigError } from './config-error.ts';

export interface OfficeConfig {
  readonly port: number;
  /** Scheme, host and port under which staff reach the office; passkeys are bound to it. */
  readonly origin: string;
  /** Whether the port was set explicitly. If not, and the port is taken, the process runs without an office. */
  readonly isChosen: boolean;
}

export type ProcessRole = 'api' | 'engine' | 'feed' | 'chain';

export type FeedConfig =
  | { readonly kind: 'simulated' }
  | { readonly kind: 'replay'; readonly files: ReadonlyMap<string, string>; readonly speed: number }
  | { readonly kind: 'live'; readonly sourcesFile: string | null };

/** How each setting is read from the environment. Wrong values stop the start with a line for each ({@link ConfigError}). */
const readersOf = (
  env: Env,
  { port, roles, mode }: { port: number; roles: ReadonlySet<ProcessRole>; mode: 'demo' | 'live' },
) => ({
  port: () => port,
  host: () => env.HOST || '127.0.0.1',
  /** Null: off. */
  metricsPort: () =>
    env.METRICS_PORT ? readInteger(env, 'METRICS_PORT', { fallback: 0, min: 1, max: 65_535 }) : null,
  /** Null: this process serves none. */
  office: () => readOffice(env, port),
  /** Scheme, host and port under which customers reach the app, without a trailing slash. */
  publicOrigin: () => readOrigin('PUBLIC_ORIGIN', env.PUBLIC_ORIGIN || `http://localhost:${port}`),
  /** Null: the embedded server under `dataDir`. */
  databaseUrl: () => readDatabaseUrl('DATABASE_URL', env),
  /** The address for the server's own role; null: the same server, with a password derived from the owner's. */
  databaseServerUrl: () => readDatabaseUrl('DATABASE_SERVER_URL', env),
  /** The address for the role that says what chains have; null: the same server, with a password derived from the owner's. */
  databaseChainUrl: () => readDatabaseUrl('DATABASE_CHAIN_URL', env),
  /** A standby that answers reads for everybody, as the server's role; null: none. */
  databaseReadUrl: () => readDatabaseUrl('DATABASE_READ_URL', env),
  /** Servers of NATS; null: notices between processes go through the database. */
  natsUrl: () => readNatsUrl('NATS_URL', env),
  dataDir: () => dataDirOf(env),
  /** Of the embedded database; null: no backups. */
  backupDir: () => readPath(env.BACKUP_DIR),
  mode: () => mode,
  roles: () => roles,
  feed: () => readFeed(env),
  newsFeeds: (): readonly NewsFeedSetting[] => readNewsFeedSettings(env.NEWS_FEEDS || ''),
  /** Empty: deposits on chains are found by staff. */
  chains: (): readonly ChainSettings[] => (env.CHAINS_FILE ? readChainsFile(resolve(env.CHAINS_FILE)) : []),
  /** Of screening and identity; null: the database keeps what an earlier file said. */
  vendors: (): readonly VendorSettings[] | null =>
    env.VENDOR_FILE ? readVendorFile(resolve(env.VENDOR_FILE)) : null,
  /** A collector of traces (OTLP over HTTP); null: none. */
  tracesTo: () => readTracesTo(env.OTEL_EXPORTER_OTLP_ENDPOINT || null),
  witnesses: () => readWitnesses(env.WITNESSES || ''),
  signingKeyFile: () => readPath(env.SIGNING_KEY_FILE) ?? resolve(dataDirOf(env), 'signing.key'),
  /** The keys that seal personal data; kept apart from the database. */
  encryptionKeyFile: () => readPath(env.ENCRYPTION_KEY_FILE) ?? resolve(dataDirOf(env), 'encryption.keys'),
  takesHeic: () => readChoice(env, 'HEIC_PICTURES', ['on', 'off'], mode === 'live' ? 'off' : 'on') === 'on',
  /** How long a changed destination, password or second factor blocks withdrawals; the database has the same bounds. */
  holdSeconds: () => {
    const [fallback, min] = mode === 'live' ? [DAY_S, DAY_S] : [60, 0];
    return readInteger(env, 'HOLD_SECONDS', { fallback, min, max: 90 * DAY_S });
  },
  trustProxy: () => readChoice(env, 'TRUST_PROXY', ['0', '1', 'false', 'true'], '0').match(/1|true/) !== null,
  addressHeader: () => readAddressHeader(env),
  limits: () => readLimits(env, LIMITS),
  streams: () => readLimits(env, STREAM_LIMITS),
  maxRequests: () => readInteger(env, 'LIMIT_REQUESTS', { fallback: 1_000, min: 10, max: 1e6 }),
  maxConnections: () => readInteger(env, 'LIMIT_CONNECTIONS', { fallback: 4_000, min: 100, max: 1e6 }),
  receiveMs: () => 1_000 * readInteger(env, 'RECEIVE_SECONDS', { fallback: 10, min: 1, max: 300 }),
  /** How long a stopping API still serves and says that it is not ready. One with fewer roles runs behind a balancer. */
  drainSeconds: () =>
    readInteger(env, 'DRAIN_SECONDS', { fallback: roles.size >= 3 ? 0 : 5, min: 0, max: 300 }),
  support: () => readSupport(env),
  /** Null: none, which only demo mode allows. */
  operator: () =>
    env.OPERATOR_PROFILE ? readOperatorProfile(resolve(env.OPERATOR_PROFILE), Date.now()) : null,
  logLevel: (): string => readChoice(env, 'LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'warn'),
});

type Readers = ReturnType<typeof readersOf>;
export type Config = { readonly [Name in keyof Readers]: ReturnType<Readers[Name]> };

export function readConfig(env: Env): Config {
  const faults = new Faults();
  faults.try(() => refuseMisspelt(env));
  const port = faults.try(() => readInteger(env, 'PORT', { fallback: 3000, min: 1, max: 65_535 })) ?? 3000;
  const roles = faults.try(() => readRoles(env)) ?? readRoles({});
  const mode = faults.try<'demo' | 'live'>(() => readChoice(env, 'MODE', ['demo', 'live'], 'demo')) ?? 'demo';
  const readers = readersOf(env, { port, roles, mode });
  const entries = Object.entries(readers).map(([name, read]) => [name, faults.try<unknown>(read)]);
  const config = Object.fromEntries(entries) as unknown as Config;
  if (config.backupDir !== null && (config.databaseUrl ?? config.databaseServerUrl) !== null)
    faults.found.push(
      'BACKUP_DIR is for the embedded database: a server of DATABASE_URL has its own backups',
    );
  if (mode === 'live') faults.found.push(...liveFaults(config, env));
  faults.refuse();
  return config;
}

/** Of a value that is wrong itself, nothing more is said. */
function liveFaults({ feed, publicOrigin, office, roles }: Config, env: Env): string[] {
  const origins = { PUBLIC_ORIGIN: publicOrigin, OFFICE_ORIGIN: office?.origin };
  return [
    ...['SIGNING_KEY_FILE', 'ENCRYPTION_KEY_FILE', 'OPERATOR_PROFILE']
      .filter((name) => !env[name])
      .map((name) => `MODE=live needs ${name}`),
    ...(feed && feed.kind !== 'live' ? [`MODE=live refuses FEED=${feed.kind}: real sources are needed`] : []),
    ...(env.SOURCES_FILE ? [] : ['MODE=live needs SOURCES_FILE, which names the contracts of the sources']),
    ...Object.entries(origins)
      .filter(([, origin]) => roles.has('api') && origin?.startsWith('http:'))
      .map(([name, origin]) => `MODE=live needs ${name} with https, not "${origin}"`),
  ];
}

export const OFFICE_PORT = 3001;

function readOffice(env: Env, port: number): OfficeConfig | null {
  const isChosen = Boolean(env.OFFICE_PORT);
  if (env.OFFICE_PORT === 'off' || (!isChosen && port === OFFICE_PORT)) return null;
  const officePort = readInteger(env, 'OFFICE_PORT', { fallback: OFFICE_PORT, min: 1, max: 65_535 });
  if (officePort === port) throw new ConfigError('OFFICE_PORT must differ from PORT');
  const origin = readOrigin('OFFICE_ORIGIN', env.OFFICE_ORIGIN || `http://localhost:${officePort}`);
  return { port: officePort, origin, isChosen };
}

const DAY_S = 86_400;

function readLimits<Name extends string>(env: Env, declared: Declared<Name>): Record<Name, number> {
  const faults = new Faults();
  const limits = (Object.keys(declared) as Name[]).map((name) => {
    const { setting, fallback, max = 1e6 } = declared[name];
    return [name, faults.try(() => readInteger(env, setting, { fallback, min: 1, max }))];
  });
  faults.refuse();
  return Object.fromEntries(limits);
}

type Declared<Name extends string> = Readonly<
  Record<Name, { setting: string; fallback: number; max?: number }>
>;

/** @throws ConfigError without a proxy that is trusted, because anybody could then name any address */
function readAddressHeader(env: Env): string | null {
  const name = env.CLIENT_ADDRESS_HEADER?.toLowerCase() || null;
  if (name === null) return null;
  if (!/^[a-z0-9-]{1,64}$/.test(name) || name === 'x-forwarded-for')
    throw new ConfigError(`CLIENT_ADDRESS_HEADER must name a header of one address, not "${name}"`);
  if (!/^(1|true)$/.test(env.TRUST_PROXY ?? ''))
    throw new ConfigError('CLIENT_ADDRESS_HEADER needs TRUST_PROXY=1');
  return name;
}

function readOrigin(name: string, text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new ConfigError(`${name} must be http(s)://host[:port] and nothing more, not "${text}"`);
  return url.origin;
}

function readTracesTo(text: string | null): string | null {
  if (text !== null && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new ConfigError(`OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http or https, not "${text}"`);
  return text;
}

export function readDatabaseUrl(
  name: 'DATABASE_URL' | 'DATABASE_SERVER_URL' | 'DATABASE_CHAIN_URL' | 'DATABASE_READ_URL',
  env: Env,
): string | null {
  const text = secretSetting(env, name);
  if (!text) return null;
  const url = URL.parse(text);
  // The text is not shown, because it holds a password. One with raw @, / or # reads as another host or another database.
  const isTorn = url !== null && (url.hash !== '' || !/^(\/[^/@]*)?$/.test(url.pathname));
  if (!url || isTorn || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new ConfigError(
      `${name} must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, and in the password @ is written as %40, / as %2F, # as %23, ? as %3F`,
    );
  }
  return text;
}

function readRoles(env: Env): ReadonlySet<ProcessRole> {
  const text = env.ROLE || 'all';
  const all: readonly ProcessRole[] = ['api', 'engine', 'feed', 'chain'];
  if (text === 'all') return new Set(all.filter((role) => role !== 'chain' || env.CHAINS_FILE));
  const roles = text.split(',').map((part) => part.trim());
  const unknown = roles.find((role) => !all.includes(role as ProcessRole));
  if (unknown !== undefined) {
    throw new ConfigError(`ROLE must be all or a list of ${all.join(', ')}, not "${text}"`);
  }
  if (roles.includes('chain') && !env.CHAINS_FILE) throw new ConfigError('ROLE=chain needs CHAINS_FILE');
  return new Set(roles as ProcessRole[]);
}

function readFeed(env: Env): FeedConfig {
  const kind = readChoice(env, 'FEED', ['simulated', 'replay', 'live'], 'simulated');
  if (kind === 'simulated') return { kind };
  if (kind === 'live') return { kind, sourcesFile: readPath(env.SOURCES_FILE) };
  const files = new Map<string, string>();
  for (const part of (env.REPLAY_FILES || '').split(',').filter(Boolean)) {
    const [symbol, path] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
    if (!part.includes('=') || !symbol || !path) {
      throw new ConfigError(`REPLAY_FILES must be SYMBOL=path,…, not "${env.REPLAY_FILES}"`);
    }
    files.set(symbol.trim(), resolve(path.trim()));
  }
  if (files.size === 0) throw new ConfigError('FEED=replay needs REPLAY_FILES=SYMBOL=path,…');
  return { kind, files, speed: readInteger(env, 'REPLAY_SPEED', { fallback: 1, min: 1, max: 60 }) };
}

const dataDirOf = (env: Env): string => resolve(env.DATA_DIR || './data');
const readPath = (text: string | undefined): string | null => (text ? resolve(text) : null);
