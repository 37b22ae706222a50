import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Passwords } from '../customers/identity/passwords.ts';
import type { SigningKeys } from '../market/keys/signing-keys.ts';
import type { LogReader } from '../market/log/log-reader.ts';
import type { Products } from '../market/products.ts';
import type { RuleBook } from '../market/rule-book.ts';
import type { Assets } from '../platform/assets.ts';
import type { Listener } from '../platform/bus/listener.ts';
import type { Wire } from '../platform/bus/wire.ts';
import type { Pool } from '../platform/db/database.ts';
import type { LoopDelays } from '../platform/loop-delay.ts';

export interface ProcessParts {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: Pool;
  readonly wire: Wire;
  readonly listener: Listener;
  readonly products: Products;
  readonly assets: Assets;
  readonly rules: RuleBook;
  readonly reader: LogReader;
  readonly keys: SigningKeys;
  readonly passwords: Passwords;
  readonly registry: Registry;
  readonly figures: Registry;
  readonly delays: LoopDelays;
}

export interface Part {
  /** Announces the stop, and resolves when no further requests are expected. */
  drain?(): Promise<void>;
  stop(): Promise<void>;
}
