import { localised, type Texts } from '@fairtick/protocol/languages';
import { type CatalogueProduct, termsOf } from './catalogue-product.ts';
import type { HoursName } from './schedules.ts';

/** Properties that the products of one list share. */
interface Shared extends Pick<CatalogueProduct, 'assetClass' | 'group' | 'hours'> {
  /** The market that they follow, without its prefix. */
  readonly market: string;
  /** Absent: two, or three below {@link CENT_TOO_COARSE_BELOW}. */
  readonly decimals?: number;
}

/** `[symbol, names, reference price, annual volatility, beta to the market]`. */
type Row = readonly [string, Texts, number, number, number];

/** Below this price a cent is too coarse: the price would stand still for minutes. Such products get a third decimal. */
const CENT_TOO_COARSE_BELOW = 50;

function listed({ market, decimals, ...shared }: Shared, rows: readonly Row[]): CatalogueProduct[] {
  return rows.map(([symbol, names, reference, volatility, beta]) => ({
    symbol,
    names: localised(...names),
    decimals: decimals ?? (reference < CENT_TOO_COARSE_BELOW ? 3 : 2),
    liveHours: symbol === 'UKOIL' ? 'brent' : shared.hours,
    ...termsOf(shared.assetClass),
    ...shared,
    model: { kind: 'listed', reference, volatility, market: `market:${market}`, beta },
  }));
}

const energy = (market: string, decimals: number, ...row: Row): CatalogueProduct[] =>
  listed({ assetClass: 'energy', group: 'energy', hours: 'day-long', market, decimals }, [row]);

/** Prices in dollars per barrel, and in dollars per million British thermal units. */
export const ENERGY: readonly CatalogueProduct[] = [
  ...energy('oil', 3, 'USOIL', ['WTI 原油', '西德州原油', 'WTI Crude Oil'], 59.3, 0.33, 1),
  ...energy('oil', 3, 'UKOIL', ['布伦特原油', '布蘭特原油', 'Brent Crude Oil'], 63.1, 0.32, 0.97),
  ...energy('gas', 4, 'NGAS', ['天然气', '天然氣', 'Natural Gas'], 4.62, 0.52, 1),
];

const index = (region: string, hours: HoursName) => {
  const shared = { assetClass: 'index', group: `index-${region}`, hours, decimals: 1 } as const;
  return (market: string, ...row: Row): CatalogueProduct[] => listed({ ...shared, market }, [row]);
};
const america = index('us', 'day-long');
const continent = index('eu', 'european-index');
const britain = index('eu', 'london-index');
const tokyo = index('asia', 'day-long');
const hongKong = index('asia', 'hong-kong-index');
const singapore = index('asia', 'singapore-index');
const sydney = index('asia', 'sydney-index');

export const INDICES: readonly CatalogueProduct[] = [
  ...america('us', 'US30', ['道琼斯 30', '道瓊 30', 'Dow Jones 30'], 47_400, 0.135, 0.93),
  ...america('us-tech', 'NAS100', ['纳斯达克 100', '那斯達克 100', 'Nasdaq 100'], 25_300, 0.195, 1),
  ...america('us', 'SPX500', ['标普 500', '標普 500', 'S&P 500'], 6830, 0.142, 1),
  ...america('us', 'US2000', ['罗素 2000', '羅素 2000', 'Russell 2000'], 2490, 0.205, 1.25),
  ...continent('europe', 'GER40', ['德国 40', '德國 40', 'Germany 40'], 23_800, 0.155, 1.05),
  ...britain('uk', 'UK100', ['英国富时 100', '英國富時 100', 'FTSE 100'], 9690, 0.12, 1),
  ...continent('europe', 'FRA40', ['法国 CAC40', '法國 CAC40', 'France 40'], 8110, 0.152, 1.02),
  ...continent('europe', 'EU50', ['欧洲斯托克 50', '歐洲斯托克 50', 'Euro Stoxx 50'], 5670, 0.152, 1.03),
  ...continent('europe', 'ESP35', ['西班牙 35', '西班牙 35', 'Spain 35'], 16_400, 0.16, 0.98),
  ...continent('europe', 'SWI20', ['瑞士 20', '瑞士 20', 'Switzerland 20'], 12_850, 0.122, 0.7),
  ...tokyo('japan', 'JPN225', ['日经 225', '日經 225', 'Nikkei 225'], 50_300, 0.215, 1),
  ...hongKong('china', 'HK50', ['恒生指数', '恆生指數', 'Hang Seng'], 25_900, 0.235, 1.05),
  ...singapore('china', 'CHINA50', ['富时 A50', '富時 A50', 'China A50'], 15_250, 0.2, 0.85),
  ...sydney('australia', 'AUS200', ['澳大利亚 200', '澳洲 200', 'Australia 200'], 8610, 0.118, 1),
  ...singapore('world', 'SGP30', ['新加坡 30', '新加坡 30', 'Singapore 30'], 4520, 0.115, 0.6),
];

const stocks = (shared: Omit<Shared, 'assetClass'>, rows: readonly Row[]): CatalogueProduct[] =>
  listed({ assetClass: 'stock', ...shared }, rows);

export const STOCKS: readonly CatalogueProduct[] = [
  ...stocks({ group: 'stock-us-tech', hours: 'new-york', market: 'us-tech' }, [
    ['AAPL', ['苹果', '蘋果', 'Apple'], 278.4, 0.27, 0.95],
    ['MSFT', ['微软', '微軟', 'Microsoft'], 486.2, 0.24, 0.9],
    ['NVDA', ['英伟达', '輝達', 'NVIDIA'], 181.5, 0.42, 1.7],
    ['GOOGL', ['谷歌', 'Google', 'Alphabet'], 318.1, 0.31, 1.05],
    ['AMZN', ['亚马逊', '亞馬遜', 'Amazon'], 230.2, 0.33, 1.2],
    ['META', ['Meta', 'Meta', 'Meta Platforms'], 646.8, 0.35, 1.2],
    ['TSLA', ['特斯拉', '特斯拉', 'Tesla'], 431.6, 0.55, 1.8],
    ['AVGO', ['博通', '博通', 'Broadcom'], 392.3, 0.47, 1.6],
    ['ORCL', ['甲骨文', '甲骨文', 'Oracle'], 208.7, 0.48, 1.3],
    ['AMD', ['超威半导体', '超微', 'AMD'], 217.5, 0.52, 1.8],
    ['INTC', ['英特尔', '英特爾', 'Intel'], 40.6, 0.52, 1.4],
    ['QCOM', ['高通', '高通', 'Qualcomm'], 169.4, 0.36, 1.2],
    ['NFLX', ['奈飞', '網飛', 'Netflix'], 107.3, 0.34, 0.9],
    ['ADBE', ['奥多比', '奧多比', 'Adobe'], 323.5, 0.34, 0.9],
    ['CRM', ['赛富时', '賽富時', 'Salesforce'], 238.9, 0.35, 1],
    ['CSCO', ['思科', '思科', 'Cisco'], 77.4, 0.25, 0.75],
    ['IBM', ['IBM', 'IBM', 'IBM'], 307.2, 0.28, 0.6],
    ['MU', ['美光科技', '美光', 'Micron'], 238.6, 0.52, 1.7],
    ['PLTR', ['Palantir', 'Palantir', 'Palantir'], 169.8, 0.6, 1.8],
    ['UBER', ['优步', '優步', 'Uber'], 88.1, 0.36, 1],
    ['TSM', ['台积电', '台積電', 'TSMC'], 291.3, 0.37, 1.4],
    ['ARM', ['Arm', '安謀', 'Arm Holdings'], 138.2, 0.55, 1.8],
    ['COIN', ['Coinbase', 'Coinbase', 'Coinbase'], 272.6, 0.65, 1.9],
  ]),
  ...stocks({ group: 'stock-china', hours: 'new-york', market: 'us' }, [
    ['BABA', ['阿里巴巴', '阿里巴巴', 'Alibaba ADR'], 157.4, 0.42, 0.8],
    ['PDD', ['拼多多', '拼多多', 'PDD Holdings'], 116.8, 0.42, 0.7],
  ]),
  ...stocks({ group: 'stock-us-finance', hours: 'new-york', market: 'us' }, [
    ['JPM', ['摩根大通', '摩根大通', 'JPMorgan Chase'], 312.6, 0.24, 1.1],
    ['BAC', ['美国银行', '美國銀行', 'Bank of America'], 53.6, 0.26, 1.15],
    ['GS', ['高盛', '高盛', 'Goldman Sachs'], 824.1, 0.28, 1.3],
    ['MS', ['摩根士丹利', '摩根士丹利', 'Morgan Stanley'], 169.3, 0.28, 1.25],
    ['WFC', ['富国银行', '富國銀行', 'Wells Fargo'], 85.8, 0.27, 1.1],
    ['C', ['花旗集团', '花旗集團', 'Citigroup'], 103.4, 0.28, 1.2],
    ['V', ['维萨', 'Visa', 'Visa'], 334.2, 0.21, 0.85],
    ['MA', ['万事达', '萬事達卡', 'Mastercard'], 549.7, 0.22, 0.9],
    ['PYPL', ['贝宝', 'PayPal', 'PayPal'], 62.4, 0.37, 1.3],
  ]),
  ...stocks({ group: 'stock-us-health', hours: 'new-york', market: 'us' }, [
    ['JNJ', ['强生', '嬌生', 'Johnson & Johnson'], 206.4, 0.18, 0.4],
    ['PFE', ['辉瑞', '輝瑞', 'Pfizer'], 25.7, 0.24, 0.5],
    ['LLY', ['礼来', '禮來', 'Eli Lilly'], 1064, 0.34, 0.6],
    ['MRK', ['默沙东', '默克', 'Merck'], 103.9, 0.26, 0.45],
    ['UNH', ['联合健康', '聯合健康', 'UnitedHealth'], 329.8, 0.36, 0.5],
  ]),
  ...stocks({ group: 'stock-us-consumer', hours: 'new-york', market: 'us' }, [
    ['WMT', ['沃尔玛', '沃爾瑪', 'Walmart'], 111.2, 0.22, 0.65],
    ['KO', ['可口可乐', '可口可樂', 'Coca-Cola'], 72.3, 0.17, 0.4],
    ['PEP', ['百事', '百事', 'PepsiCo'], 147.6, 0.2, 0.4],
    ['MCD', ['麦当劳', '麥當勞', "McDonald's"], 309.5, 0.19, 0.5],
    ['NKE', ['耐克', '耐吉', 'Nike'], 64.9, 0.36, 1.1],
    ['SBUX', ['星巴克', '星巴克', 'Starbucks'], 86.3, 0.31, 0.9],
    ['COST', ['开市客', '好市多', 'Costco'], 908.7, 0.22, 0.8],
    ['PG', ['宝洁', '寶僑', 'Procter & Gamble'], 147.9, 0.18, 0.4],
    ['DIS', ['迪士尼', '迪士尼', 'Walt Disney'], 104.8, 0.28, 1.1],
  ]),
  ...stocks({ group: 'stock-us-industry', hours: 'new-york', market: 'us' }, [
    ['XOM', ['埃克森美孚', '艾克森美孚', 'Exxon Mobil'], 116.4, 0.24, 0.7],
    ['CVX', ['雪佛龙', '雪佛龍', 'Chevron'], 150.9, 0.24, 0.7],
    ['BA', ['波音', '波音', 'Boeing'], 189.7, 0.36, 1.2],
    ['CAT', ['卡特彼勒', '開拓重工', 'Caterpillar'], 578.2, 0.32, 1.25],
    ['F', ['福特汽车', '福特汽車', 'Ford Motor'], 13.24, 0.34, 1.1],
  ]),
  // Numeric codes carry the market's letters, so that `0005HK` can't be mistaken for a price or an amount.
  ...stocks({ group: 'stock-china', hours: 'hong-kong', market: 'china' }, [
    ['0700HK', ['腾讯控股', '騰訊控股', 'Tencent'], 612.5, 0.33, 1.1],
    ['9988HK', ['阿里巴巴-W', '阿里巴巴-W', 'Alibaba HK'], 153.2, 0.42, 1.4],
    ['3690HK', ['美团-W', '美團-W', 'Meituan'], 101.7, 0.43, 1.4],
    ['1810HK', ['小米集团-W', '小米集團-W', 'Xiaomi'], 41.2, 0.44, 1.4],
    ['0005HK', ['汇丰控股', '匯豐控股', 'HSBC HK'], 110.4, 0.22, 0.6],
    ['1211HK', ['比亚迪', '比亞迪', 'BYD'], 98.2, 0.39, 1.2],
    ['0388HK', ['香港交易所', '香港交易所', 'HKEX'], 412.8, 0.31, 1.1],
  ]),
  // Prices in pence.
  ...stocks({ group: 'stock-eu', hours: 'london', market: 'uk', decimals: 1 }, [
    ['SHEL', ['壳牌', '殼牌', 'Shell'], 2786, 0.22, 0.9],
    ['AZN', ['阿斯利康', '阿斯特捷利康', 'AstraZeneca'], 13_920, 0.23, 0.7],
    ['BP', ['英国石油', '英國石油', 'BP'], 456.2, 0.26, 1],
  ]),
  ...stocks({ group: 'stock-eu', hours: 'xetra', market: 'europe' }, [
    ['SAP', ['思爱普', '思愛普', 'SAP'], 208.4, 0.26, 1.05],
    ['SIE', ['西门子', '西門子', 'Siemens'], 229.1, 0.27, 1.25],
    ['BMW', ['宝马', '寶馬', 'BMW'], 88.3, 0.27, 1.15],
  ]),
  ...stocks({ group: 'stock-eu', hours: 'paris', market: 'europe' }, [
    ['MC', ['LVMH 集团', 'LVMH 集團', 'LVMH'], 631.2, 0.29, 1.2],
    ['AIR', ['空中客车', '空中巴士', 'Airbus'], 204.6, 0.27, 1.15],
    ['TTE', ['道达尔能源', '道達爾能源', 'TotalEnergies'], 56.7, 0.22, 0.75],
  ]),
  ...stocks({ group: 'stock-jp', hours: 'tokyo', market: 'japan', decimals: 1 }, [
    ['7203JP', ['丰田汽车', '豐田汽車', 'Toyota Motor'], 3142, 0.28, 0.95],
    ['6758JP', ['索尼集团', '索尼集團', 'Sony Group'], 4556, 0.31, 1.05],
    ['7974JP', ['任天堂', '任天堂', 'Nintendo'], 12_720, 0.34, 0.9],
  ]),
];
