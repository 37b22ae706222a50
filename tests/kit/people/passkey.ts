import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The origin of an API in this process (`startApi`), to which its passkeys are bound. */
const ORIGIN = 'http://test.invalid';
const USER_PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

/** A device with one passkey (WebAuthn, ES256). */
export class Passkey {
  readonly #id = randomBytes(16);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #uses = 0;

  /** The answer, as JSON, to the options of a registration. */
  register(options: string): string {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' }) as { x: string; y: string };
    // CBOR of a COSE key: kind EC2, algorithm ES256, curve P-256, and the point.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const data = Buffer.concat([this.#data(HAS_CREDENTIAL), Buffer.alloc(16), length, this.#id, key]);
    // CBOR of {fmt: 'none', attStmt: {}, authData}; the data has fewer than 256 bytes.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: client('webauthn.create', options).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    });
  }

  /** The answer, as JSON, to the options of a login or another proof. */
  sign(options: string): string {
    const clientData = client('webauthn.get', options);
    const data = this.#data(0);
    const hash = createHash('sha256').update(clientData).digest();
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, hash]), this.#keys.privateKey).toString('base64url'),
    });
  }

  #data(flags: number): Buffer {
    this.#uses += 1;
    const data = Buffer.alloc(37);
    createHash('sha256').update(new URL(ORIGIN).hostname).digest().copy(data);
    data.writeUInt8(USER_PRESENT_AND_VERIFIED | flags, 32);
    data.writeUInt32BE(this.#uses, 33);
    return data;
  }

  #answer(response: Record<string, string>): string {
    const id = this.#id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

const client = (type: string, options: string): Buffer =>
  Buffer.from(
    JSON.stringify({ type, challenge: JSON.parse(options).challenge, origin: ORIGIN, crossOrigin: false }),
  );
