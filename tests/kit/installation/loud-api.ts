import { tmpdir } from 'node:os';
import type { TestDatabase } from '../database/database.ts';
import { startApi } from './running-api.ts';

/** Serves a test's database with verbose logs on stdout; its first line is the origin. */
const [, , address = '{}', dataDir = tmpdir()] = process.argv;
const db = JSON.parse(address) as TestDatabase;
const { origin } = await startApi(db, { dataDir, logLevel: 'debug' });
console.log(`serving ${origin}`);
