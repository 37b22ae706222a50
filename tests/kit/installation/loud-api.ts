import type { TestDatabase } from '../database/database.ts';
import { startApi } from './running-api.ts';

/** A process that serves a test's database and logs all that it can to stdout; its first line says where. */
const [, , address = '{}', dataDir = '/tmp'] = process.argv;
const db = JSON.parse(address) as TestDatabase;
const { origin } = await startApi(db, { dataDir, logLevel: 'debug' });
console.log(`serving ${origin}`);
