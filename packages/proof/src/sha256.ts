import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/**
 * SHA-256 of some bytes, as 32 bytes. Every hashing function in this package takes one as its last parameter, so that a server
 * can pass its native hash. It must be synchronous, and must neither change nor keep `data`, which is often a buffer that the
 * next call overwrites.
 */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** Bytes in a SHA-256 digest. */
export const HASH_BYTES = 32;

/** The portable default: the same code in a browser and on a server. */
export const sha256: Sha256 = (data) => nobleSha256(data);
