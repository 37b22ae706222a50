import { HDKey } from '@scure/bip32';

/** An operator's keys for deposits; only the public one reaches a server. */
const OPERATOR = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'/0");
export const XPUB = OPERATOR.publicExtendedKey;
export const XPRV = OPERATOR.privateExtendedKey;
