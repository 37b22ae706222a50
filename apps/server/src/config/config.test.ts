import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { COSIGNATURE_TYPE, generateNoteKey } from '@fairtick/proof';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const WITNESS = generateNoteKey('witness.example', new Uint8Array(32).fill(7), COSIGNATURE_TYPE).verifierKey;

const folder = temporaryFolder('settings');

describe('the environment', () => {
  test('without any setting gives the demo on port 3000 with the default limits', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      metricsPort: null,
      office: { port: 3001, origin: 'http://localhost:3001', isChosen: false },
      publicOrigin: 'http://localhost:3000',
      databaseUrl: null,
      databaseServerUrl: null,
      databaseChainUrl: null,
      databaseReadUrl: null,
      natsUrl: null,
      dataDir: resolve('./data'),
      backupDir: null,
      mode: 'demo',
      roles: new Set(['api', 'engine', 'feed']),
      feed: { kind: 'simulated' },
      newsFeeds: [],
      chains: [],
      vendors: null,
      tracesTo: null,
      witnesses: [],
      signingKeyFile: resolve('./data/signing.key'),
      encryptionKeyFile: resolve('./data/encryption.keys'),
      takesHeic: true,
      holdSeconds: 60,
      trustProxy: false,
      addressHeader: null,
      limits: {
        failedLoginsPerAccount: 10,
        loginsPerAddress: 300,
        registrationsPerAddress: 60,
        registrationsPerNetwork: 500,
        ordersPerCustomer: 100,
        quotaPercent: 100,
      },
      streams: { readers: 200, topics: 3_000, messages: 6_000 },
      maxRequests: 1_000,
      maxConnections: 4_000,
      receiveMs: 10_000,
      drainSeconds: 0,
      logLevel: 'warn',
      support: {
        schedule: {
          zone: 'Asia/Shanghai',
          windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '09:00', to: '21:00' }],
          holidays: [],
        },
        answerMinutes: 15,
        chatUrl: null,
      },
      operator: null,
    });
    // An empty setting equals a missing one.
    expect(readConfig({ PORT: '', MODE: '', ROLE: '', FEED: '', METRICS_PORT: '', TRUST_PROXY: '' })).toEqual(
      readConfig({}),
    );
  });

  test('NATS_URL names servers of one kind and one login; a fault does not show the password', () => {
    for (const url of ['nats://a', 'nats://u:p%40@a:4222,nats://u:p%40@b:4223', 'tls://a:4222'])
      expect(readConfig({ NATS_URL: url }).natsUrl).toBe(url);
    for (const url of [
      'http://a',
      'nats://',
      'nats://u:se#cret@a',
      'nats://a,tls://b',
      'nats://u:secret@a,nats://b',
      'nats://a/x',
    ])
      expect(() => readConfig({ NATS_URL: url })).toThrow(/^NATS_URL must be (?!.*secret)/);
  });

  test('VENDOR_FILE names vendors with secrets in files of their own; a fault is one line without any secret', () => {
    const file = join(folder, 'vendors.json');
    const one = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const two = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
    const good = {
      name: 'acme',
      api: 'https://adapter.example/v1/',
      apiKeyFile: 'acme.key',
      webhookSecretsFile: 'acme.webhooks',
      judges: ['identity', 'address'],
    };
    const read = (vendors: unknown, { key = 'k'.repeat(16), secrets = `${one}\n${two}\n` } = {}) => {
      writeFileSync(file, typeof vendors === 'string' ? vendors : JSON.stringify(vendors));
      writeFileSync(join(folder, 'acme.key'), key);
      writeFileSync(join(folder, 'acme.webhooks'), secrets);
      return readConfig({ VENDOR_FILE: file }).vendors;
    };
    expect(read([good])).toEqual([
      {
        name: 'acme',
        api: 'https://adapter.example/v1',
        apiKey: 'k'.repeat(16),
        webhookSecrets: [one, two],
        judges: ['identity', 'address'],
        fields: ['realName', 'idCountry'],
        lateMinutes: 60,
      },
    ]);
    expect(read([])).toEqual([]);
    const secret = 'se'.repeat(20);
    for (const [vendors, files, why] of [
      ['{', {}, 'is no JSON'],
      [[{ ...good, name: 'A' }], {}, 'at 0.name: must have'],
      [[{ ...good, api: 'http://adapter.example' }], {}, 'at 0.api: must be an address with https'],
      [[{ ...good, api: `https://u:${secret}@adapter.example` }], {}, 'at 0.api: must be an address'],
      [[{ ...good, apiKey: secret }], {}, 'at 0: '],
      [[{ ...good, judges: [] }], {}, 'at 0.judges: '],
      [[good, { ...good, name: 'other' }], {}, 'at the top: has two vendors for one judgement'],
      [[{ ...good, apiKeyFile: 'none' }], {}, "names none, which can't be read: ENOENT"],
      [[good], { key: `${secret} x` }, 'names acme.key, which is no key'],
      [[good], { secrets: secret }, 'names acme.webhooks, which must have one or two secrets'],
      [[good], { secrets: `whsec_${secret}!` }, 'names acme.webhooks, which must'],
      [[good], { secrets: `${one} ${one}` }, 'names acme.webhooks, which must'],
    ] as const) {
      expect(() => read(vendors, files)).toThrow(`VENDOR_FILE ${file} ${why}`);
      expect(() => read(vendors, files)).toThrow(/^(?!.*(sese|whsec_A)).*$/);
    }
  });

  test('refuses what is most likely a misspelt setting, and names the one that is meant', () => {
    for (const [wrong, meant] of [
      ['METRIC_PORT', 'METRICS_PORT'],
      ['DATABSE_URL', 'DATABASE_URL'],
      ['BACKUPDIR', 'BACKUP_DIR'],
      ['LIMIT_ORDER_RATE', 'LIMIT_ORDERS'],
      ['OFFICE_PROT', 'OFFICE_PORT'],
    ] as const)
      expect(() => readConfig({ [wrong]: '1' })).toThrow(
        new ConfigError(`${wrong} is no setting. Is ${meant} meant?`),
      );
    // Other programs' names.
    const others = {
      HOME: '/',
      NODE: '/',
      SHELL: 'sh',
      HOSTNAME: 'a',
      PGDATA: '/',
      LOGNAME: 'a',
      NODE_ENV: 'production',
    };
    expect(readConfig(others)).toEqual(readConfig({}));
  });

  test('refuses an address with a password that is not encoded, and does not show it', () => {
    for (const text of ['p@ss/w#rd', 'pass#word', 'pass/word', 'pass?word', 'p@ss/word']) {
      const read = () => readConfig({ DATABASE_URL: `postgres://owner:${text}@db.example/fairtick` });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(/^DATABASE_URL must be .*%40.*%2F.*%23/);
      expect(read).not.toThrow(text);
    }
    const encoded = `postgres://owner:${encodeURIComponent('p@ss/w#rd?')}@db.example/fairtick?sslmode=require`;
    expect(readConfig({ DATABASE_URL: encoded }).databaseUrl).toBe(encoded);
    const file = join(folder, 'address');
    writeFileSync(file, `${encoded}\n`);
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe(encoded);
    expect(() => readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: encoded })).toThrow(/are both set/);
    expect(() => readConfig({ DATABASE_URL_FILE: `${file}.gone` })).toThrow(/can't be read: ENOENT/);
    const socket = 'postgres:///fairtick?host=%2Ftmp&user=owner';
    expect(readConfig({ DATABASE_URL: socket }).databaseUrl).toBe(socket);
  });

  test('sets the office’s port and origin, or turns the office off', () => {
    expect(readConfig({ OFFICE_PORT: '4001', OFFICE_ORIGIN: 'https://office.example' }).office).toEqual({
      port: 4001,
      origin: 'https://office.example',
      isChosen: true,
    });
    expect(readConfig({ OFFICE_PORT: 'off' }).office).toBeNull();
    // PORT takes the office's default port, and no OFFICE_PORT is set, so there is no office.
    expect(readConfig({ PORT: '3001' }).office).toBeNull();
    expect(() => readConfig({ PORT: '3001', OFFICE_PORT: '3001' })).toThrow(ConfigError);
  });

  test('names witnesses, each with an address or without', () => {
    const other = generateNoteKey('b', new Uint8Array(32).fill(8), COSIGNATURE_TYPE).verifierKey;
    const { witnesses } = readConfig({ WITNESSES: `${WITNESS} ${other}=https://b.example/log/` });
    expect(witnesses.map(({ key, url }) => [key, url])).toEqual([
      [WITNESS, null],
      [other, 'https://b.example/log'],
    ]);
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(readConfig({ WITNESSES: `${WITNESS}=http://${host}:8080/` }).witnesses[0]?.url).toBe(
        `http://${host}:8080`,
      );
  });

  test('names the folder of the backups', () => {
    expect(readConfig({ BACKUP_DIR: '/srv/backup' }).backupDir).toBe('/srv/backup');
    expect(readConfig({ BACKUP_DIR: 'backup' }).backupDir).toBe(resolve('backup'));
  });

  test('sets each value as it is written', () => {
    const config = readConfig({
      PORT: '3300',
      METRICS_PORT: '9100',
      HOST: '::1',
      PUBLIC_ORIGIN: 'https://Trade.Example',
      DATABASE_URL: 'postgres://u:p@db.invalid/fairtick',
      DATABASE_SERVER_URL: 'postgres://s:p@db.invalid/fairtick',
      DATA_DIR: '/srv/fairtick',
      ROLE: 'api, engine',
      FEED: 'replay',
      REPLAY_FILES: 'EUR/USD=/a/b.csv,USD/JPY=c=d.csv',
      REPLAY_SPEED: '60',
      SIGNING_KEY_FILE: '/etc/fairtick/key',
      ENCRYPTION_KEY_FILE: '/etc/fairtick/keys',
      HEIC_PICTURES: 'off',
      HOLD_SECONDS: '120',
      TRUST_PROXY: 'true',
      CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
      LIMIT_FAILED_LOGINS: '3',
      LIMIT_LOGINS: '4',
      LIMIT_REGISTRATIONS: '5',
      LIMIT_DAY_REGISTRATIONS: '50',
      LIMIT_ORDERS: '6',
      LIMIT_QUOTA_PERCENT: '8',
      LIMIT_REQUESTS: '70',
      LIMIT_CONNECTIONS: '900',
      RECEIVE_SECONDS: '11',
      DRAIN_SECONDS: '7',
      LOG_LEVEL: 'debug',
    });
    expect(config).toMatchObject({
      port: 3300,
      metricsPort: 9100,
      host: '::1',
      publicOrigin: 'https://trade.example',
      databaseUrl: 'postgres://u:p@db.invalid/fairtick',
      databaseServerUrl: 'postgres://s:p@db.invalid/fairtick',
      dataDir: '/srv/fairtick',
      roles: new Set(['api', 'engine']),
      feed: {
        kind: 'replay',
        speed: 60,
        files: new Map([
          ['EUR/USD', '/a/b.csv'],
          ['USD/JPY', resolve('c=d.csv')],
        ]),
      },
      signingKeyFile: '/etc/fairtick/key',
      encryptionKeyFile: '/etc/fairtick/keys',
      takesHeic: false,
      holdSeconds: 120,
      trustProxy: true,
      addressHeader: 'cf-connecting-ip',
      limits: {
        failedLoginsPerAccount: 3,
        loginsPerAddress: 4,
        registrationsPerAddress: 5,
        registrationsPerNetwork: 50,
        ordersPerCustomer: 6,
        quotaPercent: 8,
      },
      maxRequests: 70,
      maxConnections: 900,
      receiveMs: 11_000,
      drainSeconds: 7,
      logLevel: 'debug',
    });
  });
});

test('an API process alone drains for five seconds by default, so that a balancer stops sending to it', () => {
  expect(readConfig({ ROLE: 'api' }).drainSeconds).toBe(5);
  expect(readConfig({ ROLE: 'api', DRAIN_SECONDS: '0' }).drainSeconds).toBe(0);
});

describe('a wrong value', () => {
  const replay = { FEED: 'replay' };
  const wrong: readonly (readonly [string, Record<string, string>])[] = [
    ...['0', '65536', '-1', '3e3', '0x10', '3000.5', ' 3000', 'http', '１２３４'].map(
      (PORT) => ['PORT', { PORT }] as const,
    ),
    ...['0', 'off', '70000'].map((METRICS_PORT) => ['METRICS_PORT', { METRICS_PORT }] as const),
    ...['localhost:3000', 'ftp://x', 'http://x/app', 'http://x?y', 'http://u:p@x', 'http://x#y', 'x'].map(
      (PUBLIC_ORIGIN) => ['PUBLIC_ORIGIN', { PUBLIC_ORIGIN }] as const,
    ),
    ...['mysql://x', 'x', 'localhost/fairtick'].map(
      (DATABASE_URL) => ['DATABASE_URL', { DATABASE_URL }] as const,
    ),
    ['WITNESSES', { WITNESSES: 'witness.example' }],
    ['WITNESSES', { WITNESSES: 'a+0a0a0a0a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k' }],
    ['WITNESSES', { WITNESSES: `${WITNESS}=https://u:p@witness.example` }],
    ['WITNESSES', { WITNESSES: `${WITNESS}=https://witness.example/?log=1` }],
    ...['witness.example', '127.0.0.1.example', '10.0.0.1', 'localhost.example'].map(
      (host) => ['WITNESSES', { WITNESSES: `${WITNESS}=http://${host}/` }] as const,
    ),
    ['MODE', { MODE: 'production' }],
    ['MODE', { MODE: 'live' }],
    ['OPERATOR_PROFILE', { OPERATOR_PROFILE: '/nowhere/profile.json' }],
    ['MODE', { MODE: 'live', ...replay, REPLAY_FILES: 'EUR/USD=x' }],
    ...['apis', 'api;feed', 'api,,feed', 'ALL'].map((ROLE) => ['ROLE', { ROLE }] as const),
    ['BACKUP_DIR', { BACKUP_DIR: '/b', DATABASE_URL: 'postgres://db.invalid/x' }],
    ['FEED', { FEED: 'binance' }],
    ['REPLAY_FILES', replay],
    ...['EUR/USD', '=x.csv', 'EUR/USD=', ','].map(
      (REPLAY_FILES) => ['REPLAY_FILES', { ...replay, REPLAY_FILES }] as const,
    ),
    ...['0', '61', '1.5', 'fast'].map(
      (REPLAY_SPEED) => ['REPLAY_SPEED', { ...replay, REPLAY_FILES: 'EUR/USD=x', REPLAY_SPEED }] as const,
    ),
    ...['yes', '2', 'TRUE'].map((TRUST_PROXY) => ['TRUST_PROXY', { TRUST_PROXY }] as const),
    ...[
      'LIMIT_FAILED_LOGINS',
      'LIMIT_LOGINS',
      'LIMIT_REGISTRATIONS',
      'LIMIT_DAY_REGISTRATIONS',
      'LIMIT_ORDERS',
      'LIMIT_QUOTA_PERCENT',
      'LIMIT_CONNECTIONS',
      'RECEIVE_SECONDS',
    ].flatMap((name) => ['0', '-1', 'none', '1000001'].map((value) => [name, { [name]: value }] as const)),
    ...['-1', '301', 'soon'].map((DRAIN_SECONDS) => ['DRAIN_SECONDS', { DRAIN_SECONDS }] as const),
    ...['-1', '1.5', 'a day', '7776001'].map((HOLD_SECONDS) => ['HOLD_SECONDS', { HOLD_SECONDS }] as const),
    ['HOLD_SECONDS', { MODE: 'live', HOLD_SECONDS: '86399' }],
    ['HEIC_PICTURES', { HEIC_PICTURES: 'yes' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'verbose' }],
  ];

  test.each(wrong)('of %s is refused in one line that names the setting: %j', (name, env) => {
    let said: unknown;
    try {
      readConfig(env);
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(ConfigError);
    const { message } = said as ConfigError;
    expect(message).toContain(name);
    expect(message).not.toContain('\n');
  });

  test('does not hide the next one: all are named at once', () => {
    const env = {
      PORT: 'x',
      MODE: 'live',
      LIMIT_LOGINS: '0',
      LIMIT_ORDERS: '0',
      ROLE: 'apis',
      METRIC_PORT: '1',
    };
    let faults: readonly string[] = [];
    try {
      readConfig(env);
    } catch (error) {
      faults = (error as ConfigError).faults;
    }
    expect(faults.map((fault) => fault.replace(/ (is|must|needs) .*/, ''))).toEqual(
      expect.arrayContaining(['METRIC_PORT', 'PORT', 'ROLE', 'LIMIT_LOGINS', 'LIMIT_ORDERS']),
    );
    expect(faults).toContain('MODE=live needs ENCRYPTION_KEY_FILE');
    expect(faults).toContain('MODE=live needs SOURCES_FILE, which names the contracts of the sources');
  });

  test('of an address with a password in it is refused without repeating the password', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://u:s3cret@x' })).toThrow(/^DATABASE_URL/);
    expect(() => readConfig({ DATABASE_URL: 'mysql://u:s3cret@x' })).not.toThrow(/s3cret/);
  });
});

test('a header of the client’s address needs a trusted proxy, and is one header’s name', () => {
  const CLIENT_ADDRESS_HEADER = 'CF-Connecting-IP';
  expect(() => readConfig({ CLIENT_ADDRESS_HEADER })).toThrow('CLIENT_ADDRESS_HEADER needs TRUST_PROXY=1');
  for (const name of ['X-Forwarded-For', 'a b', 'x:y', 'ä'])
    expect(() => readConfig({ CLIENT_ADDRESS_HEADER: name, TRUST_PROXY: '1' })).toThrow(
      'CLIENT_ADDRESS_HEADER must name',
    );
});
