const CODES = new Set([
  ...Intl.supportedValuesOf('currency'),
  ...'USDT USDC BTC ETH DAI TRX BNB XRP SOL LTC DOGE BCH BUSD TUSD FDUSD'.split(' '),
]);

/** Other ways to write them, each with the codes that it may stand for. */
const WRITTEN: Readonly<Record<string, string>> = {
  USD: 'US$ U$S 美元 美金 美圆 美圓 USDOLLAR USDOLLARS',
  HKD: 'HK$ 港币 港幣 港元 港圓 港纸',
  TWD: 'NT$ NTD NT 新台币 新台幣 新臺幣 台币 台幣 臺幣',
  CNY: 'RMB CNH CN¥ RMB¥ 人民币 人民幣 人民币元',
  JPY: 'JP¥ 日元 日圓 日币 日幣 円',
  EUR: '€ 欧元 歐元 EURO EUROS',
  GBP: '£ 英镑 英鎊 GB£',
  KRW: '₩ 韩元 韓元 韓圜 원',
  SGD: 'S$ SG$ 新加坡元 新币 新幣',
  AUD: 'A$ AU$ 澳元 澳币 澳幣',
  CAD: 'C$ CA$ 加元 加币',
  NZD: 'NZ$ 纽元 紐元',
  MOP: 'MOP$ 澳门元 澳門元 澳门币 澳門幣',
  CHF: 'SFR FR 瑞士法郎',
  INR: '₹ RS RS.',
  THB: '฿ 泰铢 泰銖',
  VND: '₫ 越南盾',
  PHP: '₱ 比索',
  RUB: '₽ 卢布 盧布',
  MYR: 'RM 令吉',
  BRL: 'R$',
  BTC: '₿ XBT 比特币 比特幣',
  ETH: 'Ξ 以太坊 以太币 以太幣',
  USDT: 'USD₮ ₮ 泰达币 泰達幣 TETHER',
  'CNY JPY': '¥ ￥',
  'CNY TWD HKD JPY': '元 圆 圓 块',
  'USD HKD TWD SGD AUD CAD NZD MOP': '$',
};
const MEANINGS = new Map(
  Object.entries(WRITTEN).flatMap(([codes, texts]) =>
    texts.split(' ').map((text) => [text, codes.split(' ')] as const),
  ),
);
const NETWORK = /[-_ (]{0,3}(?:TRC|ERC|BEP)-?20\)?[-_ ]{0,3}/;

/** The codes that a text may stand for if it names a currency or a coin and nothing else; null otherwise. */
export function currenciesOf(text: string): readonly string[] | null {
  if (text.length > 24) return null;
  const plain = text.normalize('NFKC').toUpperCase().replace(NETWORK, '').replace(/\s/g, '');
  return CODES.has(plain) ? [plain] : (MEANINGS.get(plain) ?? null);
}

export function statedCurrencies(text: string): readonly string[] | null {
  const { unit } = currencyIn(text);
  return currenciesOf(text) ?? (unit === null ? null : currenciesOf(unit));
}

const NAMED = /[A-Z]{1,3}\$|(?<!\p{L})[A-Z]{3,5}(?!\p{L})|[$€£¥₩₹₫₱₽₿₮]|[\u4e00-\u9fff]+/gu;
const NAMED_WITHIN = /[美港日欧歐韩韓澳加]元|[美港日澳]圓|(?:人民|新台|新臺|台|臺|港|日|澳|加)[币幣]|美金/;
const WORDS = new Set(['ALL', 'TOP', 'TRY', 'CUP', 'PEN']);

/** The first currency that a title such as `Credit (HKD)` or `金额（美元）` names, and the title without it. */
export function currencyIn(title: string): { readonly unit: string | null; readonly rest: string } {
  const text = title.slice(0, 100).normalize('NFKC');
  for (const [found] of text.matchAll(NAMED)) {
    const isUnit = currenciesOf(found) !== null && !WORDS.has(found);
    const unit = isUnit ? found : (NAMED_WITHIN.exec(found)?.[0] ?? null);
    if (unit !== null) return { unit, rest: text.replace(unit, ' ').replace(/\bin\s+$/i, '') };
  }
  return { unit: null, rest: text };
}
