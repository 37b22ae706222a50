#!/usr/bin/env node
/**
 * Fairtick's checks on the command line; {@link USAGE} describes them. The server adds a replay of an installation's own database
 * (apps/server/src/commands/fairtick.ts).
 */
import {
  charactersIn,
  checkAtSources,
  handOversIn,
  isAcceptance,
  isContradiction,
  isNonce,
  isPlainJson,
  LogFault,
  MAX_RECEIPT_LENGTH,
  parseAcceptance,
  parsePolicy,
  type Receipt,
  readLogged,
  readOwedClaims,
  ServerTrouble,
  type SignedAcceptance,
  verifyOwed,
  verifyReceipt,
  wordsOf,
  wordsOfFinding,
} from '../src/index.ts';
import { askExchange, originsIn } from './ask-exchange.ts';
import { KEY_OPTIONS, readArguments, readText, say, Trouble } from './command-line.ts';
import { checkExport } from './exported.ts';
import { askForBatch } from './logged.ts';
import { MONITOR_USAGE, makeWitnessKey, monitor } from './monitor.ts';
import { learnFrom, pin, pinFile, readKeys } from './pinned-keys.ts';
import { replayReceipt } from './replay.ts';

const USAGE = `fairtick verify receipt.json [--key KEY]... [--keys FILE] [--policy FILE] [--acceptance FILE] [--logged FILE]
                [--nonce HEX] [--at-sources [--source NAME=URL]...] [--json]
  Checks a receipt, offline, and says in plain words what it proves and what it does not.
  KEY is a verifier key as /api/transparency/key gives them; both keys of a log are needed. Without --key and --keys those
  that were pinned are used. New keys count where the receipt shows that those before them handed over in the log; pinned keys
  are kept up to date with that.
  --policy names a file with a line "quorum NUMBER", and a line "witness KEY" for each witness: so many of them must have cosigned
  the checkpoint, within 5 seconds of its time. A valid receipt with fewer exits with 3.
  --acceptance compares with the acceptance that you kept: its text, or the server's answer to the order as JSON.
  --logged compares with the answer of /api/order/logged that you kept (needs --acceptance).
  --nonce is the secret that was sent with the opening time: checks that the acceptance names what was asked for.
  --at-sources asks the exchanges, over the network, for the records that a valid receipt shows, and exits with 1 where one has something else.
  --source asks another place that answers as this exchange does.
  A receipt is the document itself: of the server's answer, it is what "data" holds.

fairtick pin KEY... [--url URL]
  Keeps keys for later, in ${pinFile()}. With --url it asks a server
  which keys have followed those that are pinned, and keeps them if the log proves it.

fairtick owed owed.json --customer ID [--asset ASSET]... [--key KEY]... [--keys FILE]
  Checks, offline, that what is owed to a customer was counted: the answer of /api/fund/owed, saved as a file. Exits with 4 where it says
  that nothing was owed in an asset: whoever had a balance of it was left out. --asset looks at the assets named alone.

fairtick logged acceptance.json --url URL [--key KEY]... [--keys FILE]
  Asks the log of a server for the batch of an acceptance: the server's answer to the order, or its member "acceptance". Exits with 4 where the
  log does not carry it a second before the order opens, or has not come so far.

fairtick replay receipt.json --url URL
  Settles the order again from the entries that the server publishes, and compares with the receipt: whether the prices are those that the
  sources have on record is not looked at.

fairtick exported FILE NOTE [--key KEY]... [--keys FILE]
  Checks, offline, that the file of a report is the one that its signed note states, and shows the note.

fairtick replay [--day YYYY-MM-DD | --order ID] [--json]
  In a checkout: settles orders again from the log of an installation, and compares with its ledger: those of a day, one, or all. The database
  is that of DATABASE_URL, else the one under DATA_DIR.

Exit: 0 valid; 1 not valid; 2 nothing was checked: wrong usage, or a file that can not be read; 3 valid, but cosigned by fewer
witnesses than --policy wants; 4 an order or a balance that is not in the log.

${MONITOR_USAGE}
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => number | Promise<number>>> = {
  verify,
  pin: pinKeys,
  // A connection whose other end is silent would keep the process alive.
  monitor: async (args) => process.exit(await monitor(args)),
  'witness-key': makeWitnessKey,
  owed,
  logged,
  replay,
  exported,
};

async function main(): Promise<number> {
  const [command = '', ...rest] = process.argv.slice(2);
  if ([command, ...rest].some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (Object.hasOwn(COMMANDS, command)) return (COMMANDS[command] as typeof verify)(rest);
  process.stderr.write(USAGE);
  return 2;
}

function pinKeys(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { url: { type: 'string' } });
  const isUrl = values.url === undefined || /^https?:/.test(values.url);
  if (!isUrl || (positionals.length === 0 && values.url === undefined)) throw new Trouble(USAGE);
  return pin(positionals, values.url);
}

function owed(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, {
    ...KEY_OPTIONS,
    customer: { type: 'string' },
    asset: { type: 'string', multiple: true },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1 || values.customer === undefined) throw new Trouble(USAGE);
  const keys = readKeys(values).trusted;
  const all = readOwedClaims(readText(file));
  if (all === null) throw new Trouble(`${file} is no answer of /api/fund/owed`);
  const claims = all.filter(({ asset }) => values.asset?.includes(asset) ?? true);
  const unnamed = (values.asset ?? ['any asset']).filter((each) =>
    values.asset ? all.every(({ asset }) => asset !== each) : all.length === 0,
  );
  const faults = claims.map((claim) =>
    verifyOwed(claim, { customer: values.customer ?? '', keys: keys.log }),
  );
  const lines = claims.map(({ asset, date, leaf }, at) => {
    const fault = faults[at];
    if (fault === 'absent')
      return `${asset}: LEFT OUT, or no customer of it: on ${date} the server says that nothing was owed to you.`;
    if (fault) return `${asset}: NOT PROVED (${fault}).`;
    return `${asset}: ${leaf?.amount} of the smallest unit were counted on ${date}, and the log says so.`;
  });
  lines.push(...unnamed.map((asset) => `${asset}: LEFT OUT: the server says nothing of it.`));
  say(lines.join('\n'));
  if (faults.some((fault) => fault !== null && fault !== 'absent')) return 1;
  return unnamed.length > 0 || faults.includes('absent') ? 4 : 0;
}

function logged(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    ...KEY_OPTIONS,
    url: { type: 'string' },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1 || values.url === undefined) throw new Trouble(USAGE);
  const acceptance = acceptanceIn(readPlain(file));
  if (acceptance === null) throw new Trouble(`${file} holds no signed acceptance`);
  return askForBatch(acceptance, values.url, readKeys(values).pinned);
}

function exported(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, KEY_OPTIONS);
  const [file, note] = positionals;
  if (file === undefined || note === undefined || positionals.length > 2) throw new Trouble(USAGE);
  return checkExport(file, readText(note), readKeys(values).trusted.acceptances);
}

async function replay(args: readonly string[]): Promise<number> {
  try {
    return await replayReceipt(args);
  } catch (error) {
    throw new Trouble(`Nothing was compared: ${(error as Error).message}`);
  }
}

async function verify(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    ...KEY_OPTIONS,
    policy: { type: 'string' },
    acceptance: { type: 'string' },
    logged: { type: 'string' },
    nonce: { type: 'string' },
    'at-sources': { type: 'boolean' },
    source: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Trouble(USAGE);
  const { trusted, arePinned } = readKeys(values);
  const policy = values.policy === undefined ? null : parsePolicy(readText(values.policy));
  if (values.policy !== undefined && policy === null) throw new Trouble(`${values.policy} is no policy`);
  const value = readReceiptFile(file);
  const report = verifyReceipt(value, {
    keys: policy ? { ...trusted, witnesses: policy.witnesses } : trusted,
    kept: keptIn(values),
    ...(policy ? { witnessesNeeded: policy.needed } : {}),
  });
  const isAsking = report.isValid && values['at-sources'] === true;
  const sources = isAsking
    ? await checkAtSources(value as Receipt, askExchange, { origins: originsIn(values.source) })
    : [];
  const lines = values.json
    ? [JSON.stringify(isAsking ? { ...report, sources } : report, null, 2)]
    : [...wordsOf(report), ...sources.map(wordsOfFinding)];
  say(lines.join('\n'));
  // With --json, stdout carries only the report, because programs parse it.
  const shown = report.isValid && arePinned && !values.json ? handOversIn(value as Receipt) : [];
  if (shown.length > 0) learnFrom(shown);
  if (!report.isValid || sources.some(isContradiction)) return 1;
  return policy && report.limits.includes('witnesses') ? 3 : 0;
}

/** The document of a file. */
function readReceiptFile(file: string): unknown {
  const value = readPlain(file);
  const isAnswer = typeof value === 'object' && value !== null && 'code' in value && 'data' in value;
  if (isAnswer)
    throw new Trouble(
      `${file} is an answer of the server, and a receipt is what it holds: take "data" out of it, and give that.`,
    );
  return value;
}

/** The value in a file; null for a text that is too long, or that two JSON readers could read differently. */
function readPlain(file: string): unknown {
  const text = readText(file);
  const value = readJson(file, text);
  return charactersIn(text) <= MAX_RECEIPT_LENGTH && isPlainJson(text) ? value : null;
}

function readJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Trouble(`${file} is no JSON: ${error.message}`);
  }
}

/** What the customer kept: the acceptance as text or in the API's JSON, and the answer of /api/order/logged. */
function keptIn({
  acceptance,
  logged,
  nonce,
}: Readonly<Partial<Record<'acceptance' | 'logged' | 'nonce', string>>>) {
  if (nonce !== undefined && !isNonce(nonce)) throw new Trouble('--nonce needs 32 hex digits');
  const asked = nonce === undefined ? {} : { nonce };
  if (acceptance === undefined) {
    if (logged !== undefined) throw new Trouble('--logged needs --acceptance');
    return asked;
  }
  const text = readText(acceptance);
  const acceptanceText = text.trimStart().startsWith('{')
    ? textIn(readJson(acceptance, text))
    : // An editor may have ended the last line; the last two are empty where the customer had seen no log.
      [text, text.replace(/\n$/, '')].find((each) => parseAcceptance(each) !== null);
  if (!acceptanceText || parseAcceptance(acceptanceText) === null)
    throw new Trouble(`${acceptance} holds no acceptance`);
  if (logged === undefined) return { ...asked, acceptanceText };
  const answer = readPlain(logged);
  const held = readLogged(membersOf(answer)?.data ?? answer);
  if (held === null) throw new Trouble(`${logged} is no answer of /api/order/logged`);
  return { ...asked, acceptanceText, logged: held };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;

/** The text of an acceptance, of an order that holds one, or of the server's answer with either. */
function textIn(value: unknown): string | null {
  const text = innermost(value)?.text;
  return typeof text === 'string' ? text : null;
}

/** The same with its signature; null where it has none. */
function acceptanceIn(value: unknown): SignedAcceptance | null {
  const found = innermost(value);
  return isAcceptance(found) ? (found as unknown as SignedAcceptance) : null;
}

function innermost(value: unknown): ReturnType<typeof membersOf> {
  const members = membersOf(value);
  const inner = members?.data ?? members?.acceptance;
  return inner === undefined ? members : innermost(inner);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof LogFault) {
    say(`WRONG: ${error.message}.`);
    process.exitCode = 1;
  } else if (error instanceof Trouble || error instanceof ServerTrouble) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else throw error;
}
