/** Assets with blockchain addresses; kept apart from the heavy address check, which is loaded only for typing one. */
export const ASSETS = ['USDT', 'BTC', 'ETH'] as const;
export type CryptoAsset = (typeof ASSETS)[number];
