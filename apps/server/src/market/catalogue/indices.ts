import { localised, type Texts } from '@fairtick/protocol/languages';
import type { Schedule } from '@fairtick/trading';
import type { CatalogueProduct } from './catalogue-product.ts';
import { AUSTRALIA, CHINA, type Driver, EUROPE, JAPAN, UK, US, US_TECH, WORLD } from './drivers.ts';
import {
  DAY_LONG,
  EUROPEAN_INDEX,
  HONG_KONG_INDEX,
  LONDON_INDEX,
  SINGAPORE_INDEX,
  SYDNEY_INDEX,
} from './schedules.ts';

interface Region {
  readonly group: string;
  readonly schedule: Schedule;
}

const AMERICA: Region = { group: 'index-us', schedule: DAY_LONG };
const CONTINENT: Region = { group: 'index-eu', schedule: EUROPEAN_INDEX };
const BRITAIN: Region = { group: 'index-eu', schedule: LONDON_INDEX };
const asia = (schedule: Schedule): Region => ({ group: 'index-asia', schedule });

function index(
  region: Region,
  symbol: string,
  names: Texts,
  reference: number,
  volatility: number,
  market: Driver,
  beta: number,
): CatalogueProduct {
  return {
    symbol,
    names: localised(...names),
    assetClass: 'index',
    decimals: 1,
    schedule: region.schedule,
    group: region.group,
    quietMs: 5000,
    outlierBps: 60,
    model: { kind: 'listed', reference, volatility, market, beta },
  };
}

export const INDICES: readonly CatalogueProduct[] = [
  index(AMERICA, 'US30', ['道琼斯 30', '道瓊 30', 'Dow Jones 30'], 47_400, 0.135, US, 0.93),
  index(AMERICA, 'NAS100', ['纳斯达克 100', '那斯達克 100', 'Nasdaq 100'], 25_300, 0.195, US_TECH, 1),
  index(AMERICA, 'SPX500', ['标普 500', '標普 500', 'S&P 500'], 6830, 0.142, US, 1),
  index(AMERICA, 'US2000', ['罗素 2000', '羅素 2000', 'Russell 2000'], 2490, 0.205, US, 1.25),
  index(CONTINENT, 'GER40', ['德国 40', '德國 40', 'Germany 40'], 23_800, 0.155, EUROPE, 1.05),
  index(BRITAIN, 'UK100', ['英国富时 100', '英國富時 100', 'FTSE 100'], 9690, 0.12, UK, 1),
  index(CONTINENT, 'FRA40', ['法国 CAC40', '法國 CAC40', 'France 40'], 8110, 0.152, EUROPE, 1.02),
  index(CONTINENT, 'EU50', ['欧洲斯托克 50', '歐洲斯托克 50', 'Euro Stoxx 50'], 5670, 0.152, EUROPE, 1.03),
  index(CONTINENT, 'ESP35', ['西班牙 35', '西班牙 35', 'Spain 35'], 16_400, 0.16, EUROPE, 0.98),
  index(CONTINENT, 'SWI20', ['瑞士 20', '瑞士 20', 'Switzerland 20'], 12_850, 0.122, EUROPE, 0.7),
  index(asia(DAY_LONG), 'JPN225', ['日经 225', '日經 225', 'Nikkei 225'], 50_300, 0.215, JAPAN, 1),
  index(asia(HONG_KONG_INDEX), 'HK50', ['恒生指数', '恆生指數', 'Hang Seng'], 25_900, 0.235, CHINA, 1.05),
  index(asia(SINGAPORE_INDEX), 'CHINA50', ['富时 A50', '富時 A50', 'China A50'], 15_250, 0.2, CHINA, 0.85),
  index(
    asia(SYDNEY_INDEX),
    'AUS200',
    ['澳大利亚 200', '澳洲 200', 'Australia 200'],
    8610,
    0.118,
    AUSTRALIA,
    1,
  ),
  index(asia(SINGAPORE_INDEX), 'SGP30', ['新加坡 30', '新加坡 30', 'Singapore 30'], 4520, 0.115, WORLD, 0.6),
];
