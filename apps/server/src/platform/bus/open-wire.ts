import type pg from 'pg';
import type { Logger } from 'pino';
import { NatsWire } from './nats-wire.ts';
import { PostgresWire } from './postgres-wire.ts';
import type { Wire } from './wire.ts';

/** @param natsUrl `NATS_URL`; null: the database carries the notices */
export const openWire = (address: pg.ClientConfig, natsUrl: string | null, log: Logger): Wire =>
  natsUrl === null ? new PostgresWire(address, log) : new NatsWire(natsUrl, log);
