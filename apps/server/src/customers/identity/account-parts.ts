import type { UserInfo } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import type { Context } from '../../platform/http/context.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import type { Passwords } from './passwords.ts';
import type { SecondFactors } from './second-factors.ts';
import type { Sessions } from './sessions.ts';

export interface AccountParts {
  readonly pool: Pool;
  /** Connections for requests without a session, so that a flood of these delays no customer. */
  readonly publicPool: Pool;
  readonly assets: Assets;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly destinations: {
    cards(db: Queryable, customerId: string): Promise<UserInfo['banks']>;
    addresses(db: Queryable, customerId: string): Promise<UserInfo['addresses']>;
  };
  /** In live mode an account needs a country outside `restrictedRegions`, and the risk accepted. */
  readonly mode: 'demo' | 'live';
  readonly restrictedRegions: readonly string[];
  readonly factors: SecondFactors;
  /** The same factors over `publicPool`, for requests without a session. */
  readonly publicFactors: SecondFactors;
  readonly keys: KeyRing;
  /** Factors lost within the last 24 hours: they serve to take an account back, not to log in. */
  readonly formerFactors: SecondFactors;
}

/** The caller of an operation that checks a secret, and the guesses that its declaration allows. */
export type Guesser = Pick<Context, 'caller' | 'guess'>;
