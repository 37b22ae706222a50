#!/usr/bin/env node
/**
 * Fairtick's checks on the command line. A receipt is checked offline: nothing is asked of any server.
 *
 *   fairtick verify receipt.json [--key KEY]... [--keys FILE] [--acceptance FILE] [--json]
 *   fairtick pin KEY...
 *   fairtick monitor URL
 *   fairtick witness-key NAME FILE
 *   fairtick owed owed.json --customer ID [--key KEY]... [--keys FILE]
 *   fairtick replay receipt.json --url URL
 *   fairtick replay [--day YYYY-MM-DD | --order ID]     where the server's own code and database are at hand
 *
 * Keys are the verifier keys of /api/transparency/key; given, or pinned before. Exit: 0 valid, 1 not valid, 2 nothing was
 * checked.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  ACCEPTANCE_ORIGIN_SUFFIX,
  isPlainJson,
  MAX_RECEIPT_LENGTH,
  type NoteVerifier,
  nobleVerifier,
  readOwedClaims,
  type TrustedKeys,
  verifyOwed,
  verifyReceipt,
  witnessVerifier,
  wordsOf,
} from '../src/index.ts';
import { readArguments, Trouble } from './arguments.ts';
import { MONITOR_USAGE, makeWitnessKey, monitor } from './monitor.ts';
import { replayReceipt } from './replay.ts';

const USAGE = `fairtick verify receipt.json [--key KEY]... [--keys FILE] [--acceptance FILE] [--json]
  Checks a receipt, offline, and says in plain words what it proves and what it does not.
  KEY is a verifier key as /api/transparency/key gives them; both keys of a log are needed. Without --key and --keys those
  that were pinned are used.

fairtick pin KEY...
  Keeps keys for later, in ${pinFile()}.

fairtick owed owed.json --customer ID [--key KEY]... [--keys FILE]
  Checks, offline, that what is owed to a customer was counted: the answer of /api/fund/owed, saved as a file.

fairtick replay receipt.json --url URL
  Settles the order again from the entries that the server publishes, and compares with the receipt.

fairtick replay [--day YYYY-MM-DD | --order ID] [--json]
  Settles orders again from the log of an installation, and compares with its ledger: those of a day, one, or all. The database
  is that of DATABASE_URL, else the one under DATA_DIR.

Exit: 0 valid, 1 not valid, 2 nothing was checked.

${MONITOR_USAGE}
`;

function pinFile(): string {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return process.env.FAIRTICK_KEYS || join(folder, 'fairtick', 'keys');
}

async function main(): Promise<number> {
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'verify') return verify(rest);
  if (command === 'pin') return pin(rest);
  if (command === 'monitor') return monitor(rest);
  if (command === 'witness-key') return makeWitnessKey(rest);
  if (command === 'owed') return owed(rest);
  if (command === 'replay') return replay(rest);
  process.stderr.write(USAGE);
  return 2;
}

function owed(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, {
    key: { type: 'string', multiple: true },
    keys: { type: 'string' },
    customer: { type: 'string' },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1 || values.customer === undefined) throw new Trouble(USAGE);
  const keys = readKeys(values);
  const claims = readOwedClaims(readText(file));
  if (claims === null) throw new Trouble(`${file} is no answer of /api/fund/owed`);
  const faults = claims.map((claim) =>
    verifyOwed(claim, { customer: values.customer ?? '', keys: keys.log }),
  );
  const lines = claims.map(({ asset, date, leaf }, at) => {
    const fault = faults[at];
    if (fault === 'absent') return `${asset}: on ${date} the server says that nothing was owed to you.`;
    if (fault) return `${asset}: NOT PROVED (${fault}).`;
    return `${asset}: ${leaf?.amount} of the smallest unit were counted on ${date}, and the log says so.`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  return faults.every((fault) => fault === null || fault === 'absent') ? 0 : 1;
}

/** From what a server publishes; or, within the project, from an installation's own database. */
async function replay(args: readonly string[]): Promise<number> {
  if (args.some((argument) => argument.startsWith('--url'))) {
    try {
      return await replayReceipt(args);
    } catch (error) {
      throw new Trouble(`Nothing was compared: ${(error as Error).message}`);
    }
  }
  const server = await import('../../../apps/server/src/replay.ts');
  return server.replay(args);
}

function verify(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, {
    key: { type: 'string', multiple: true },
    keys: { type: 'string' },
    acceptance: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Trouble(USAGE);
  const keys = readKeys(values);
  let value: unknown;
  try {
    const text = readText(file);
    const read = receiptIn(JSON.parse(text));
    // What could be read in two ways is no receipt.
    value = isPlainJson(text) ? read : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Trouble(`${file} is no JSON: ${error.message}`);
  }
  const kept =
    values.acceptance === undefined ? {} : { kept: { acceptanceText: readText(values.acceptance) } };
  const report = verifyReceipt(value, { keys, ...kept });
  const lines = values.json ? [JSON.stringify(report, null, 2)] : wordsOf(report);
  process.stdout.write(`${lines.join('\n')}\n`);
  return report.isValid ? 0 : 1;
}

/** The receipt itself, also where the server's whole answer was kept. */
function receiptIn(value: unknown): unknown {
  const isAnswer = typeof value === 'object' && value !== null && 'code' in value && 'data' in value;
  return isAnswer ? value.data : value;
}

function readKeys({ key, keys }: { key?: string[] | undefined; keys?: string | undefined }): TrustedKeys {
  const file = keys ?? (key === undefined && existsSync(pinFile()) ? pinFile() : undefined);
  const lines = [...(key ?? []), ...(file === undefined ? [] : readText(file).split('\n'))];
  const texts = new Set(
    lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')),
  );
  const witnesses = [...texts].flatMap((text) => witnessVerifier(text) ?? []);
  const verifiers = [...texts].filter((text) => witnessVerifier(text) === null).map(verifierOf);
  const isOfAcceptances = ({ name }: NoteVerifier) => name.endsWith(ACCEPTANCE_ORIGIN_SUFFIX);
  const log = verifiers.filter((verifier) => !isOfAcceptances(verifier));
  const acceptances = verifiers.filter(isOfAcceptances);
  if (log.length === 0 || acceptances.length === 0)
    throw new Trouble(
      'Both keys of the log are needed, from a place that you trust: --key KEY --key KEY, or pin them.',
    );
  return { log, acceptances, witnesses };
}

function verifierOf(text: string): NoteVerifier {
  const verifier = nobleVerifier(text);
  if (verifier === null) throw new Trouble(`This is no verifier key: ${text.slice(0, 200)}`);
  return verifier;
}

function pin(texts: readonly string[]): number {
  if (texts.length === 0) throw new Trouble(USAGE);
  for (const text of texts) if (witnessVerifier(text) === null) verifierOf(text);
  const file = pinFile();
  const known = existsSync(file) ? readText(file).split('\n') : [];
  const fresh = texts.filter((text) => !known.includes(text));
  mkdirSync(dirname(file), { recursive: true });
  for (const text of fresh) appendFileSync(file, `${text}\n`);
  process.stdout.write(`${fresh.length} pinned in ${file}\n`);
  return 0;
}

function readText(file: string): string {
  try {
    // UTF-8 has up to three bytes for each UTF-16 unit.
    if (statSync(file).size > 3 * MAX_RECEIPT_LENGTH) throw new Trouble(`${file} is longer than any receipt`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`${file} can not be read: ${(error as Error).message}`);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Trouble)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
