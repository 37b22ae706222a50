import { parseArgs } from 'node:util';
import { BUILD } from '../platform/build.ts';
import { AUDIT } from './audit.ts';
import { BACKUP } from './backup.ts';
import { CHECK_SOURCES } from './check-sources.ts';
import type { Arguments, Command } from './command.ts';
import { ERASE_CUSTOMER } from './erase-customer.ts';
import { EXPORT } from './export.ts';
import { FIRST_ADMINISTRATORS } from './first-administrators.ts';
import { MOVE_DATABASE } from './move-database.ts';
import { NEW_HOUSE } from './new-house.ts';
import { NEW_LOG } from './new-log.ts';
import { PARTITIONS } from './partitions.ts';
import { RESTORE } from './restore.ts';
import { ROTATE_KEYS } from './rotate-keys.ts';
import { ROTATE_SIGNING_KEY } from './rotate-signing-key.ts';
import { SCREENING_LOAD } from './screening-load.ts';

/**
 * `npm run admin -- COMMAND`: commands of an operator. Exits with 0 when all is well, 1 when something is wrong, 2 when the
 * command could not run or was not understood.
 */
const COMMANDS: readonly Command[] = [
  AUDIT,
  BACKUP,
  RESTORE,
  MOVE_DATABASE,
  NEW_HOUSE,
  FIRST_ADMINISTRATORS,
  ERASE_CUSTOMER,
  ROTATE_KEYS,
  ROTATE_SIGNING_KEY,
  NEW_LOG,
  CHECK_SOURCES,
  EXPORT,
  SCREENING_LOAD,
  PARTITIONS,
];
const COULD_NOT_RUN = 2;

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version') {
    console.log(`fairtick ${BUILD}`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(listOfCommands());
    return name === undefined ? COULD_NOT_RUN : 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) {
    console.error(`There is no command "${name}".\n\n${listOfCommands()}`);
    return COULD_NOT_RUN;
  }
  const input = readArguments(command, args);
  if (typeof input === 'string') {
    console.error(`${command.failure}: ${input}\n\n${helpOf(command)}`);
    return COULD_NOT_RUN;
  }
  if (input.values.help === true) {
    console.log(helpOf(command));
    return 0;
  }
  const warning = command.warning?.(input.values) ?? null;
  if (warning !== null && input.values.yes !== true) {
    console.error(`${command.failure}. ${warning}\nAdd --yes to do it.`);
    return COULD_NOT_RUN;
  }
  try {
    return await command.run(input);
  } catch (error) {
    console.error(`${command.failure}: ${error instanceof Error ? error.message : String(error)}`);
    return COULD_NOT_RUN;
  }
}

/** Text: what is wrong with the arguments. */
function readArguments(command: Command, args: readonly string[]): Arguments | string {
  const own = { help: { type: 'boolean' }, yes: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...command.options, ...own },
    });
    if (values.help === true) return { values, positionals };
    const { needs = [] } = command;
    const missing = needs[positionals.length];
    if (missing !== undefined) return `say ${missing}`;
    const superfluous = positionals[needs.length];
    if (superfluous !== undefined) return `"${superfluous}" is not understood`;
    return { values, positionals };
  } catch (error) {
    // parseArgs throws a TypeError for an option that it does not know or that lacks its value; advice follows its first sentence.
    if (error instanceof TypeError) return error.message.split('. ')[0] as string;
    throw error;
  }
}

function helpOf({ name, needs = [], usage, does, help, warning }: Command): string {
  const words = [name, ...needs, usage, warning && '--yes'].filter(Boolean).join(' ');
  return `npm run admin -- ${words}\n\n${does}.\n${help}`;
}

function listOfCommands(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return `npm run admin -- COMMAND [--help]

Commands for the installation of DATABASE_URL, else the one under DATA_DIR (./data):

${COMMANDS.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`).join('\n')}`;
}
