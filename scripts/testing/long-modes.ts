/** An environment variable that makes a mode longer or shorter, or repeats a run. */
export interface Setting {
  readonly name: string;
  /** Null: nothing is set. */
  readonly byDefault: number | null;
  readonly means: string;
}

/** A test that takes too long for every day: the file `tests/long/NAME.long.test.ts`. */
export interface Mode {
  readonly name: string;
  /** The property that the mode proves, in one sentence. */
  readonly proves: string;
  /** Rows of `docs/PROMISES.md` that name it as a proof. */
  readonly promises: readonly number[];
  /** About how long it takes by default on two cores: at most ten. */
  readonly minutes: number;
  /** Rights and programs that the mode needs. */
  readonly needs?: string;
  readonly settings: readonly Setting[];
}

const seed = (means: string): Setting => ({ name: 'SEED', byDefault: null, means });

const RECORDINGS: Setting = {
  name: 'RECORDINGS',
  byDefault: null,
  means: 'a folder of recorded ticks, which are taken as well',
};

export const MODES: readonly Mode[] = [
  {
    name: 'backup',
    proves: 'A backup taken under load restores to any moment, and to the last commit with the last WAL.',
    promises: [20],
    minutes: 8,
    settings: [],
  },
  {
    name: 'bad-disk',
    proves:
      'A disk that is full or fails loses no acknowledged order, and the server recovers when the disk is good again.',
    promises: [4],
    minutes: 10,
    needs: 'root, gcc',
    settings: [],
  },
  {
    name: 'benchmarks',
    proves: 'Each benchmark runs to its end at its smallest, with right books.',
    promises: [],
    minutes: 10,
    settings: [],
  },
  {
    name: 'choices',
    proves:
      'What a house gains by each choice that the rules leave, and customers by seeing or pushing a market; what stays unseen is a tenth of a point at most.',
    promises: [24],
    minutes: 3,
    settings: [
      { name: 'ORDERS', byDefault: 40_000, means: 'orders of each product' },
      {
        name: 'PRODUCTS',
        byDefault: null,
        means: 'their symbols, a comma between; else EUR/USD,XAU/USD,BTC/USDT',
      },
      { name: 'SEED', byDefault: 27, means: 'chooses the moments of the orders' },
      RECORDINGS,
    ],
  },
  {
    name: 'clocks',
    proves:
      'Clocks of the database and the server that jump by an hour break no rule and leave no order open.',
    promises: [9],
    minutes: 4,
    needs: 'libfaketime',
    settings: [],
  },
  {
    name: 'double-spend',
    proves: 'Of 100 withdrawals of the whole balance at once, at two API processes, one is accepted.',
    promises: [5],
    minutes: 5,
    settings: [{ name: 'ROUNDS', byDefault: 100, means: 'rounds of 100 withdrawals' }],
  },
  {
    name: 'expiries',
    proves:
      'Ten thousand orders of one second settle once and in time, also when the leading engine is killed or paused.',
    promises: [8],
    minutes: 6,
    settings: [{ name: 'EXPIRIES', byDefault: 10_000, means: 'orders that settle in each of three seconds' }],
  },
  {
    name: 'floods',
    proves:
      'Floods of every anonymous and logged-in kind before settlement seconds leave out no step of the log and void no order.',
    promises: [22],
    minutes: 9,
    settings: [
      { name: 'ADDRESSES', byDefault: 100, means: 'addresses that floods come from, at most 250' },
      { name: 'EACH', byDefault: 4, means: 'connections from each address at once, shared by all kinds' },
    ],
  },
  {
    name: 'generated',
    proves:
      'Each answer to requests generated from the API document is documented, and none is a server error.',
    promises: [13],
    minutes: 6,
    settings: [
      { name: 'REQUESTS', byDefault: 20_000, means: 'requests; 50000 take 15 minutes' },
      seed('chooses the requests'),
    ],
  },
  {
    name: 'image',
    proves:
      'The image of ops/Dockerfile is built, starts as its own user, takes an order and stops cleanly; no test and no setting of the builder is in it.',
    promises: [],
    minutes: 10,
    needs: 'root, buildah, debootstrap',
    settings: [],
  },
  {
    name: 'install',
    proves:
      'npm ci and npm start work with each npm since 9 and each Node since 20, as root and another user, with and without install scripts.',
    promises: [],
    minutes: 10,
    needs: 'root, the npm registry',
    settings: [
      {
        name: 'WAY',
        byDefault: null,
        means: 'a regular expression: only the ways whose name it matches run',
      },
    ],
  },
  {
    name: 'kill',
    proves:
      'SIGKILL of the server and its database under load loses no acknowledged order and settles none twice.',
    promises: [1],
    minutes: 8,
    settings: [{ name: 'KILLS', byDefault: 40, means: 'kills, some 10 s each; 200 take 35 minutes' }],
  },
  {
    name: 'late-venues',
    proves:
      'While exchanges are late, or their clocks and ours differ by 3 s, orders settle by what the exchanges have on record, and the operator is told within a minute.',
    promises: [],
    minutes: 9,
    settings: [
      { name: 'SECONDS', byDefault: 60, means: 'how long each of three troubles of all exchanges lasts' },
      {
        name: 'LATE_SECONDS',
        byDefault: 120,
        means: 'how long one exchange is 10 s late; 3600 for the hour',
      },
    ],
  },
  {
    name: 'live-soak',
    proves:
      'While all exchanges fail at random, the live feed keeps its memory, leaves no hole that no quorum explains, has a tick within 300 ms of a frame, and fixes what the exchanges have on record.',
    promises: [],
    minutes: 9,
    settings: [
      {
        name: 'MINUTES',
        byDefault: 6,
        means: 'minutes of all exchanges and their products, and fifty frames a second; 60 for the hour',
      },
      {
        name: 'FAST_MINUTES',
        byDefault: 60,
        means: 'minutes of five frames a second for readers and boards alone, faster than in real time',
      },
      { name: 'SEED', byDefault: 1, means: 'chooses the faults' },
    ],
  },
  {
    name: 'lost-machine',
    proves: 'The loss of the primary database with its disk loses no acknowledged order.',
    promises: [2],
    minutes: 7,
    needs: 'root, postgresql-15, patroni, etcd-server, etcd-client, haproxy (docs/HIGH_AVAILABILITY.md)',
    settings: [],
  },
  {
    name: 'midnights',
    proves:
      'Ten thousand midnights in the middle of moves lose no day of interest, and each day brings exactly what the rule says.',
    promises: [],
    minutes: 8,
    settings: [
      { name: 'MIDNIGHTS', byDefault: 10_000, means: 'midnights, of days of 40 ms' },
      seed('chooses the moves'),
    ],
  },
  {
    name: 'on-call',
    proves:
      'Outages, full disks and refused logins are told within a minute, also that Prometheus itself is away.',
    promises: [],
    minutes: 9,
    needs: 'root, prometheus, prometheus-alertmanager, prometheus-blackbox-exporter, haproxy',
    settings: [],
  },
  {
    name: 'overload',
    proves:
      'At twice the capacity settlement is in time, no tick is missing, each order is answered, and the server recovers within 10 s.',
    promises: [19],
    minutes: 9,
    needs: 'haproxy',
    settings: [
      {
        name: 'OVERLOAD_MINUTES',
        byDefault: 3,
        means: 'minutes of overload; for 30 set NODE_OPTIONS=--max-old-space-size=12000 as well',
      },
      { name: 'OVERLOAD_AT_ONCE', byDefault: 200, means: 'orders at once when the capacity is measured' },
    ],
  },
  {
    name: 'partition',
    proves: 'A network cut between a process and the database, both ways or one way, breaks no rule.',
    promises: [3],
    minutes: 8,
    needs: 'root',
    settings: [],
  },
  {
    name: 'payout-kills',
    proves: 'A payout is sent and booked once, whatever moment the process that sends it is killed.',
    promises: [16],
    minutes: 10,
    settings: [{ name: 'ROUNDS', byDefault: 200, means: 'payouts' }, seed('of the moments')],
  },
  {
    name: 'pgbackrest',
    proves: 'pgBackRest restores the server’s own PostgreSQL 15 to a moment and to the last commit.',
    promises: [20],
    minutes: 3,
    needs: 'root, postgresql-15, pgbackrest',
    settings: [],
  },
  {
    name: 'planted-defects',
    proves:
      'The tests can fail: each defect that is planted in a copy of the sources is caught by its tests.',
    promises: [0],
    minutes: 9,
    settings: [
      { name: 'DEFECTS', byDefault: 25, means: 'defects, some 10 to 15 s each; 100 runs all' },
      {
        name: 'DEFECT',
        byDefault: null,
        means: 'a regular expression: all defects whose name it matches run instead',
      },
      seed('chooses the defects'),
    ],
  },
  {
    name: 'postgres-15',
    proves: 'The server works on PostgreSQL 15, the oldest version that is supported.',
    promises: [],
    minutes: 3,
    needs: 'root, postgresql-15',
    settings: [],
  },
  {
    name: 'read-standby',
    proves:
      'Reads for everybody leave the primary, and are never older than a second while the standby is late, killed and back.',
    promises: [],
    minutes: 3,
    needs: 'root, postgresql-15',
    settings: [{ name: 'BUSY_SECONDS', byDefault: 30, means: 'how long the share of the reads is measured' }],
  },
  {
    name: 'readers',
    proves:
      'Prices reach the readers behind the balancer within 300 ms (p99) while the machine has processor to spare; what each reader costs.',
    promises: [],
    minutes: 4,
    needs: 'HAProxy, nats-server',
    settings: [
      { name: 'READERS', byDefault: 20_000, means: 'readers at most; a twentieth and a quarter come before' },
      { name: 'SECONDS', byDefault: 20, means: 'how long each number of readers is measured' },
      { name: 'NOTIFY', byDefault: null, means: '1: notices go through the database, not over NATS' },
    ],
  },
  {
    name: 'receipts',
    proves: 'Each genuine receipt is verified offline, and each receipt with one changed value is refused.',
    promises: [21],
    minutes: 5,
    settings: [
      { name: 'RECEIPTS', byDefault: 100_000, means: 'genuine receipts' },
      { name: 'MUTATIONS', byDefault: 10_000, means: 'changed receipts, at most as many as RECEIPTS' },
      seed('chooses the receipts and what is changed'),
    ],
  },
  {
    name: 'release',
    proves:
      'A release is the same when it is made again, and its tarball is installed by its lines, takes an order and names its commit.',
    promises: [],
    minutes: 8,
    settings: [],
  },
  {
    name: 'retries',
    proves: 'An order that is sent again, also after a kill between commit and answer, is placed once.',
    promises: [5, 7],
    minutes: 6,
    settings: [
      { name: 'ROUNDS', byDefault: 100, means: 'rounds of 100 orders of the whole balance at once' },
      { name: 'KILLS', byDefault: 10, means: 'kills of an API between commit and answer' },
    ],
  },
  {
    name: 'screen-times',
    proves:
      'An order is on all open screens within a second, shown as in the public log within three, and its result within two.',
    promises: [],
    minutes: 4,
    settings: [{ name: 'ROUNDS', byDefault: 3, means: 'orders, a minute each' }],
  },
  {
    name: 'simulation',
    proves: 'Random histories with faults end settled exactly as the log and the rules say.',
    promises: [11],
    minutes: 9,
    settings: [
      {
        name: 'SEEDS',
        byDefault: 60,
        means: 'histories, one for each seed, some seconds each; 200 take up to half an hour',
      },
      { name: 'ORDERS', byDefault: 150, means: 'accepted orders in each history' },
      {
        name: 'MINUTES',
        byDefault: null,
        means: 'minutes: histories run until then, and SEEDS does not count',
      },
      seed('the seed of the first history; the next one has the next number'),
    ],
  },
  {
    name: 'six-processes',
    proves: 'With two processes of each role, a killed, paused or stopped leader is replaced within 3 s.',
    promises: [1],
    minutes: 5,
    needs: 'haproxy',
    settings: [{ name: 'ROUNDS', byDefault: 12, means: 'rounds, in each of which one process ends' }],
  },
  {
    name: 'systemd',
    proves:
      'The units start on a Debian that systemd has booted, by the lines of the operations guide, and survive kills, wrong settings and an absent database.',
    promises: [],
    minutes: 3,
    needs: 'root, systemd-container, haproxy, postgresql-15, prometheus, prometheus-alertmanager',
    settings: [
      {
        name: 'NPM',
        byDefault: null,
        means: 'the version of npm that the lines are typed with, from the registry; else the machine’s',
      },
    ],
  },
  {
    name: 'tap-to-opening',
    proves:
      'How soon after the tap an order opens, on a fast line and on one of 2 s each way, beside an opening a second after the acceptance.',
    promises: [],
    minutes: 6,
    settings: [{ name: 'ORDERS', byDefault: 20, means: 'orders on each line' }],
  },
];
