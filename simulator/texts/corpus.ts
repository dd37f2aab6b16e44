import { ai as enAi } from './en/ai.ts';
import { climate as enClimate } from './en/climate.ts';
import { cooking as enCooking } from './en/cooking.ts';
import { databases as enDatabases } from './en/databases.ts';
import { economy as enEconomy } from './en/economy.ts';
import { hardware as enHardware } from './en/hardware.ts';
import { localGovernment as enLocalGovernment } from './en/local-government.ts';
import { privacy as enPrivacy } from './en/privacy.ts';
import { security as enSecurity } from './en/security.ts';
import { space as enSpace } from './en/space.ts';
import { sports as enSports } from './en/sports.ts';
import { typescript as enTypescript } from './en/typescript.ts';
import { ai as jaAi } from './ja/ai.ts';
import { climate as jaClimate } from './ja/climate.ts';
import { cooking as jaCooking } from './ja/cooking.ts';
import { databases as jaDatabases } from './ja/databases.ts';
import { economy as jaEconomy } from './ja/economy.ts';
import { hardware as jaHardware } from './ja/hardware.ts';
import { localGovernment as jaLocalGovernment } from './ja/local-government.ts';
import { privacy as jaPrivacy } from './ja/privacy.ts';
import { security as jaSecurity } from './ja/security.ts';
import { space as jaSpace } from './ja/space.ts';
import { sports as jaSports } from './ja/sports.ts';
import { typescript as jaTypescript } from './ja/typescript.ts';
import type { Language, TopicId, TopicTexts } from './topic.ts';

/** Everything the simulated world can write. */
export const CORPUS: Readonly<Record<Language, Readonly<Record<TopicId, TopicTexts>>>> = {
  en: {
    databases: enDatabases,
    typescript: enTypescript,
    ai: enAi,
    security: enSecurity,
    privacy: enPrivacy,
    hardware: enHardware,
    space: enSpace,
    climate: enClimate,
    economy: enEconomy,
    'local-government': enLocalGovernment,
    cooking: enCooking,
    sports: enSports,
  },
  ja: {
    databases: jaDatabases,
    typescript: jaTypescript,
    ai: jaAi,
    security: jaSecurity,
    privacy: jaPrivacy,
    hardware: jaHardware,
    space: jaSpace,
    climate: jaClimate,
    economy: jaEconomy,
    'local-government': jaLocalGovernment,
    cooking: jaCooking,
    sports: jaSports,
  },
};
