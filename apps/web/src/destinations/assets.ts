/** What goes over chains: apart from the check of addresses, which is heavy and needed only where one is typed. */
export const ASSETS = ['USDT', 'BTC', 'ETH'] as const;
export type CryptoAsset = (typeof ASSETS)[number];
