import type { Data } from '@fairtick/protocol';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { generateSecret, generateURI, verify } from 'otplib';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { ms } from '../../platform/office-queries.ts';
import type { Binding, KeyRing } from '../../platform/sealing/key-ring.ts';

/** A large module that is rarely needed; loaded at first use. */
const webauthn = () => import('@simplewebauthn/server');

const STEP_S = 30;
/** Accepts the code of this many steps before or after, because clocks of phones are slightly off. */
const TOLERANCE_STEPS = 1;
/** Within this time a code that is right for another time shows how far the phone's clock is off. */
const TOLD_WITHIN_S = 300;
const CHALLENGE = '5 minutes';
const MAX_FACTORS = 10;

/** Tables and names of the factors of staff or customers. */
export interface FactorPlace {
  readonly factors: 'staff_second_factors' | 'customer_second_factors' | 'former_factors';
  readonly challenges: 'staff_challenges' | 'customer_challenges';
  /** The owners' table, and the column that refers to it. */
  readonly owners: 'staff' | 'customers';
  readonly owner: 'staff_id' | 'customer_id';
  readonly issuer: string;
  /** What the secrets of an owner are sealed for: a value does not open for another owner. */
  readonly bindingOf: (ownerId: string) => Binding;
  /** Further SQL condition for rows that count, besides being confirmed. */
  readonly only?: string;
  /** Another place of the same owners whose factors count as well. */
  readonly also?: FactorPlace;
}

export const STAFF_FACTORS: FactorPlace = {
  factors: 'staff_second_factors',
  challenges: 'staff_challenges',
  owners: 'staff',
  owner: 'staff_id',
  issuer: 'Fairtick Office',
  bindingOf: (staffId) => ({ table: 'staff_second_factors', record: staffId, customer: '' }),
};

export const CUSTOMER_FACTORS: FactorPlace = {
  factors: 'customer_second_factors',
  challenges: 'customer_challenges',
  owners: 'customers',
  owner: 'customer_id',
  issuer: 'Fairtick',
  bindingOf: (customerId) => ({
    table: 'customer_second_factors',
    record: customerId,
    customer: customerId,
  }),
};

/** Factors that open a claim (decision 153): those that customers lost lately, and those that stood before the first loss. */
const FORMER_FACTORS: FactorPlace = {
  ...CUSTOMER_FACTORS,
  factors: 'former_factors',
  only: 'lost_at > now() - take_back_time()',
  also: {
    ...CUSTOMER_FACTORS,
    only: `stood(customer_id, confirmed_at, first_loss(customer_id), interval '7 days')`,
  },
};

/** The second factor that was given besides the password. */
export interface GivenFactor {
  readonly otp?: string | undefined;
  readonly passkey?: string | undefined;
}

/** `unset`: none is on, `absent`: one is on and none was given. */
export type FactorVerdict = 'unset' | 'absent' | 'right' | 'wrong';

interface FactorRow {
  readonly table: FactorPlace['factors'];
  readonly id: string;
  readonly kind: 'totp' | 'passkey';
  readonly sealed_secret: Buffer | null;
  readonly credential_id: Buffer | null;
  readonly public_key: Buffer | null;
  readonly counter: string | null;
  readonly transports: string[] | null;
}

/** TOTP and passkeys, of staff or of customers. */
export class SecondFactors {
  readonly #place: FactorPlace;
  readonly #pool: Pool;
  readonly #keys: KeyRing;
  readonly #origin: string;
  readonly #host: string;

  /** @param origin of the app, to which passkeys are bound */
  constructor(place: FactorPlace, pool: Pool, keys: KeyRing, origin: string) {
    this.#place = place;
    this.#pool = pool;
    this.#keys = keys;
    this.#origin = origin;
    this.#host = new URL(origin).hostname;
  }

  /**
   * Whether the given factor is one of this person's. A right code or signature works once.
   * @throws RefusalError for a code that is right and used, or right for another time: neither is a guess
   */
  async check(ownerId: string, given: GivenFactor): Promise<FactorVerdict> {
    const factors = await this.#confirmed(ownerId);
    if (factors.length === 0) return 'unset';
    if (given.passkey) return (await this.#checkPasskey(ownerId, factors, given.passkey)) ? 'right' : 'wrong';
    if (!given.otp) return 'absent';
    let refusal: RefusalError | null = null;
    for (const factor of factors.filter(({ kind }) => kind === 'totp')) {
      const checked = await this.#checkCode(ownerId, factor, given.otp);
      if (checked === true) return 'right';
      if (checked) refusal = checked;
    }
    if (refusal) throw refusal;
    return 'wrong';
  }

  async kinds(ownerId: string): Promise<('totp' | 'passkey')[]> {
    return [...new Set((await this.#confirmed(ownerId)).map(({ kind }) => kind))];
  }

  /** The options that a passkey signs, as JSON; null when the person has no passkey. */
  async assertionOptions(ownerId: string): Promise<string | null> {
    const passkeys = (await this.#confirmed(ownerId)).filter(({ kind }) => kind === 'passkey');
    if (passkeys.length === 0) return null;
    const options = await (await webauthn()).generateAuthenticationOptions({
      rpID: this.#host,
      userVerification: 'required',
      allowCredentials: passkeys.map((factor) => ({
        id: (factor.credential_id as Buffer).toString('base64url'),
        transports: (factor.transports ?? []) as never[],
      })),
    });
    await this.#remember(ownerId, options.challenge, 'assert');
    return JSON.stringify(options);
  }

  /** Creates a secret; it counts once a code of it has been shown. */
  async beginTotp(ownerId: string, account: string): Promise<{ id: string; secret: string; uri: string }> {
    const secret = generateSecret();
    await this.#pool.query(
      `delete from ${this.#place.factors} where ${this.#place.owner} = $1 and confirmed_at is null`,
      [ownerId],
    );
    const { rows } = await this.#pool.query<{ id: string }>(
      `insert into ${this.#place.factors} (${this.#place.owner}, kind, label, sealed_secret)
       select $1, 'totp', 'TOTP', $2 where (select count(*) from ${this.#place.factors} where ${this.#place.owner} = $1) < ${MAX_FACTORS}
       returning id`,
      [ownerId, this.#keys.seal(Buffer.from(secret), this.#place.bindingOf(ownerId))],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw tooMany();
    return { id, secret, uri: generateURI({ issuer: this.#place.issuer, label: account, secret }) };
  }

  /** What a passkey is asked to sign, as JSON. @throws RefusalError when the person has no passkey */
  async question(ownerId: string): Promise<{ options: string }> {
    const options = await this.assertionOptions(ownerId);
    if (options === null) throw new RefusalError('FACTOR_NOT_FOUND');
    return { options };
  }

  /**
   * @param guess counts the try, apart from others: a caller who knows the new secret is always right, and that must not reset the
   * count of password guesses
   * @throws RefusalError also as {@link check} does
   */
  async confirmTotp(
    ownerId: string,
    { id, otp }: { readonly id: string; readonly otp: string },
    guess: (isRight: () => Promise<boolean>) => Promise<boolean>,
  ): Promise<void> {
    let isKnown = true;
    const isRight = await guess(async () => {
      const verdict = await this.#confirmTotp(ownerId, id, otp);
      isKnown = verdict !== null;
      return verdict === true;
    });
    if (!isKnown) throw new RefusalError('FACTOR_NOT_FOUND');
    if (!isRight) throw refusalOf('OTP_WRONG', 'otp');
  }

  async #confirmTotp(ownerId: string, id: string, otp: string): Promise<boolean | null> {
    const { rows } = await this.#pool.query<FactorRow>(
      `select *, '${this.#place.factors}' as table from ${this.#place.factors}
       where ${this.#place.owner} = $1 and id = $2 and kind = 'totp' and confirmed_at is null`,
      [ownerId, id],
    );
    const [factor] = rows;
    if (!factor) return null;
    const checked = await this.#checkCode(ownerId, factor, otp);
    if (checked instanceof RefusalError) throw checked;
    if (!checked) return false;
    await this.#pool.query(`update ${this.#place.factors} set confirmed_at = now() where id = $1`, [id]);
    return true;
  }

  async beginPasskey(ownerId: string, account: string): Promise<string> {
    await this.#demandRoom(ownerId);
    const options = await (await webauthn()).generateRegistrationOptions({
      rpName: this.#place.issuer,
      rpID: this.#host,
      userName: account,
      userID: Uint8Array.from(Buffer.from(`${this.#place.owners}:${ownerId}`)),
      attestationType: 'none',
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      excludeCredentials: (await this.#confirmed(ownerId)).flatMap(({ credential_id }) =>
        credential_id === null ? [] : [{ id: credential_id.toString('base64url') }],
      ),
    });
    await this.#remember(ownerId, options.challenge, 'register');
    return JSON.stringify(options);
  }

  async confirmPasskey(ownerId: string, label: string, passkey: string): Promise<void> {
    if (!(await this.#confirmPasskey(ownerId, label, passkey))) throw refusalOf('OTP_WRONG', 'passkey');
  }

  async #confirmPasskey(ownerId: string, label: string, passkey: string): Promise<boolean> {
    const response = parse<RegistrationResponseJSON>(passkey);
    if (response === null) return false;
    await this.#demandRoom(ownerId);
    const verified = await (await webauthn())
      .verifyRegistrationResponse({
        response,
        expectedChallenge: (challenge) => this.#redeem(ownerId, challenge, 'register'),
        expectedOrigin: this.#origin,
        expectedRPID: this.#host,
      })
      .catch(() => null);
    if (!verified?.verified) return false;
    const { credential } = verified.registrationInfo;
    const { rowCount } = await this.#pool.query(
      `insert into ${this.#place.factors} (${this.#place.owner}, kind, label, credential_id, public_key, counter, transports, confirmed_at)
       select $1, 'passkey', $2, $3, $4, $5, $6, now()
       where (select count(*) from ${this.#place.factors} where ${this.#place.owner} = $1) < ${MAX_FACTORS}
       on conflict (credential_id) do nothing`,
      [
        ownerId,
        label,
        Buffer.from(credential.id, 'base64url'),
        Buffer.from(credential.publicKey),
        credential.counter,
        credential.transports ?? [],
      ],
    );
    return rowCount === 1;
  }

  async list(ownerId: string): Promise<Data<'factors'>['factors']> {
    const { rows } = await this.#pool.query<Data<'factors'>['factors'][number]>(
      `select id::text, kind, label, ${ms('created_at')} as "createdAt", ${ms('last_used_at')} as "lastUsedAt"
       from ${this.#place.factors} where ${this.#place.owner} = $1 and confirmed_at is not null order by id`,
      [ownerId],
    );
    return rows;
  }

  /** Removes a factor; with `keepOne` not the last one. @throws RefusalError */
  async remove(
    db: Queryable,
    ownerId: string,
    { id, keepOne }: { id: string; keepOne: boolean },
  ): Promise<void> {
    // Of two concurrent calls, each could see the other's factor and remove it.
    await db.query(`select from ${this.#place.owners} where id = $1 for no key update`, [ownerId]);
    const { rows } = await db.query<{ id: string }>(
      `select id from ${this.#place.factors} where ${this.#place.owner} = $1 and confirmed_at is not null`,
      [ownerId],
    );
    if (!rows.some((row) => row.id === id)) throw new RefusalError('FACTOR_NOT_FOUND');
    if (keepOne && rows.length === 1) throw new RefusalError('LAST_FACTOR');
    await db.query(`delete from ${this.#place.factors} where id = $1`, [id]);
  }

  /** @throws RefusalError when the person has the most factors allowed */
  async #demandRoom(ownerId: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `select from ${this.#place.factors} where ${this.#place.owner} = $1`,
      [ownerId],
    );
    if (rowCount !== null && rowCount >= MAX_FACTORS) throw tooMany();
  }

  async #confirmed(ownerId: string, place = this.#place): Promise<FactorRow[]> {
    const { rows } = await this.#pool.query<FactorRow>(
      `select *, '${place.factors}' as table from ${place.factors} where ${place.owner} = $1 and confirmed_at is not null
         and ${place.only ?? 'true'} order by id`,
      [ownerId],
    );
    return place.also ? [...rows, ...(await this.#confirmed(ownerId, place.also))] : rows;
  }

  /** @returns the refusal that says why a code which is right does not count */
  async #checkCode(ownerId: string, factor: FactorRow, otp: string): Promise<boolean | RefusalError> {
    if (!/^\d{6}$/.test(otp)) return false;
    const sealed = factor.sealed_secret as Buffer;
    const secret = this.#keys.open(sealed, this.#place.bindingOf(ownerId)).toString();
    const result = await verify({ strategy: 'totp', secret, token: otp, epochTolerance: TOLD_WITHIN_S });
    if (!result.valid || !('timeStep' in result)) return false;
    const { timeStep, delta } = result;
    if (Math.abs(delta) > TOLERANCE_STEPS) {
      // A guess must not learn a code that will be right soon, so this one never will be.
      if (delta > 0)
        await this.#pool.query(`update ${factor.table} set early_step = $2 where id = $1`, [
          factor.id,
          timeStep,
        ]);
      const seconds = String(Math.abs(delta) * STEP_S);
      return refusalOf(delta > 0 ? 'CLOCK_AHEAD' : 'CLOCK_BEHIND', 'otp', { seconds });
    }
    // The step's number is stored, so that of two callers with the same code one is let in.
    const { rowCount } = await this.#pool.query(
      `update ${factor.table} set last_step = $2, last_used_at = now()
       where id = $1 and (last_step is null or last_step < $2) and early_step is distinct from $2`,
      [factor.id, timeStep],
    );
    return rowCount === 1 || refusalOf('OTP_USED', 'otp');
  }

  async #checkPasskey(ownerId: string, factors: readonly FactorRow[], passkey: string): Promise<boolean> {
    const response = parse<AuthenticationResponseJSON>(passkey);
    const factor = factors.find(
      ({ credential_id }) => credential_id !== null && credential_id.toString('base64url') === response?.id,
    );
    if (!response || !factor) return false;
    const verified = await (await webauthn())
      .verifyAuthenticationResponse({
        response,
        expectedChallenge: (challenge) => this.#redeem(ownerId, challenge, 'assert'),
        expectedOrigin: this.#origin,
        expectedRPID: this.#host,
        credential: {
          id: response.id,
          publicKey: Uint8Array.from(factor.public_key as Buffer),
          counter: Number(factor.counter),
          transports: (factor.transports ?? []) as never[],
        },
      })
      .catch(() => null);
    if (!verified?.verified) return false;
    await this.#pool.query(`update ${factor.table} set counter = $2, last_used_at = now() where id = $1`, [
      factor.id,
      verified.authenticationInfo.newCounter,
    ]);
    return true;
  }

  async #remember(ownerId: string, challenge: string, purpose: 'register' | 'assert'): Promise<void> {
    await this.#pool.query(
      `delete from ${this.#place.challenges} where expires_at < now() or (${this.#place.owner} = $1 and purpose = $2)`,
      [ownerId, purpose],
    );
    await this.#pool.query(
      `insert into ${this.#place.challenges} (challenge, ${this.#place.owner}, purpose, expires_at) values ($1, $2, $3, now() + interval '${CHALLENGE}')`,
      [challenge, ownerId, purpose],
    );
  }

  /** Whether the challenge was issued for this purpose; deletes it, so that it works once. */
  async #redeem(ownerId: string, challenge: string, purpose: 'register' | 'assert'): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `delete from ${this.#place.challenges} where challenge = $1 and ${this.#place.owner} = $2 and purpose = $3 and expires_at > now()`,
      [challenge, ownerId, purpose],
    );
    return rowCount === 1;
  }
}

/**
 * Customers' second factors: over the connections for requests with a session, over those for requests without, and the
 * former factors.
 */
export const customerFactors = (
  { pool, publicPool }: { readonly pool: Pool; readonly publicPool: Pool },
  keys: KeyRing,
  origin: string,
) => ({
  factors: new SecondFactors(CUSTOMER_FACTORS, pool, keys, origin),
  publicFactors: new SecondFactors(CUSTOMER_FACTORS, publicPool, keys, origin),
  formerFactors: new SecondFactors(FORMER_FACTORS, publicPool, keys, origin),
});

const tooMany = () => refusalOf('TOO_MANY_FACTORS', null, { count: String(MAX_FACTORS) });

function parse<T>(text: string): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : null;
  } catch {
    return null;
  }
}
