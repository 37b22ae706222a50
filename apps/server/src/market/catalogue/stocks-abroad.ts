import type { CatalogueProduct } from './catalogue-product.ts';
import { CHINA, EUROPE, JAPAN, UK } from './drivers.ts';
import { HONG_KONG, LONDON, PARIS, TOKYO, XETRA } from './schedules.ts';
import { stocks } from './stock.ts';

// Numeric codes carry the market's letters, so that `0005HK` can't be mistaken for a price or an amount.

const HONG_KONG_STOCKS = stocks({ group: 'stock-china', schedule: HONG_KONG, market: CHINA, decimals: 2 }, [
  ['0700HK', ['腾讯控股', '騰訊控股', 'Tencent'], 612.5, 0.33, 1.1],
  ['9988HK', ['阿里巴巴-W', '阿里巴巴-W', 'Alibaba HK'], 153.2, 0.42, 1.4],
  ['3690HK', ['美团-W', '美團-W', 'Meituan'], 101.7, 0.43, 1.4],
  ['1810HK', ['小米集团-W', '小米集團-W', 'Xiaomi'], 41.2, 0.44, 1.4],
  ['0005HK', ['汇丰控股', '匯豐控股', 'HSBC HK'], 110.4, 0.22, 0.6],
  ['1211HK', ['比亚迪', '比亞迪', 'BYD'], 98.2, 0.39, 1.2],
  ['0388HK', ['香港交易所', '香港交易所', 'HKEX'], 412.8, 0.31, 1.1],
]);

/** Prices in pence. */
const LONDON_STOCKS = stocks({ group: 'stock-eu', schedule: LONDON, market: UK, decimals: 1 }, [
  ['SHEL', ['壳牌', '殼牌', 'Shell'], 2786, 0.22, 0.9],
  ['AZN', ['阿斯利康', '阿斯特捷利康', 'AstraZeneca'], 13_920, 0.23, 0.7],
  ['BP', ['英国石油', '英國石油', 'BP'], 456.2, 0.26, 1],
]);

const FRANKFURT_STOCKS = stocks({ group: 'stock-eu', schedule: XETRA, market: EUROPE, decimals: 2 }, [
  ['SAP', ['思爱普', '思愛普', 'SAP'], 208.4, 0.26, 1.05],
  ['SIE', ['西门子', '西門子', 'Siemens'], 229.1, 0.27, 1.25],
  ['BMW', ['宝马', '寶馬', 'BMW'], 88.3, 0.27, 1.15],
]);

const PARIS_STOCKS = stocks({ group: 'stock-eu', schedule: PARIS, market: EUROPE, decimals: 2 }, [
  ['MC', ['LVMH 集团', 'LVMH 集團', 'LVMH'], 631.2, 0.29, 1.2],
  ['AIR', ['空中客车', '空中巴士', 'Airbus'], 204.6, 0.27, 1.15],
  ['TTE', ['道达尔能源', '道達爾能源', 'TotalEnergies'], 56.7, 0.22, 0.75],
]);

const TOKYO_STOCKS = stocks({ group: 'stock-jp', schedule: TOKYO, market: JAPAN, decimals: 1 }, [
  ['7203JP', ['丰田汽车', '豐田汽車', 'Toyota Motor'], 3142, 0.28, 0.95],
  ['6758JP', ['索尼集团', '索尼集團', 'Sony Group'], 4556, 0.31, 1.05],
  ['7974JP', ['任天堂', '任天堂', 'Nintendo'], 12_720, 0.34, 0.9],
]);

export const STOCKS_ABROAD: readonly CatalogueProduct[] = [
  ...HONG_KONG_STOCKS,
  ...LONDON_STOCKS,
  ...FRANKFURT_STOCKS,
  ...PARIS_STOCKS,
  ...TOKYO_STOCKS,
];
