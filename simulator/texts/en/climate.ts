import type { TopicTexts } from '../topic.ts';

export const climate: TopicTexts = {
  name: 'Climate',
  stories: [
    {
      title: 'Warmest {month} on record, weather service says',
      lead: [
        'This {month} was the warmest since measurements began, {n:1-3}.{n2:1-9} degrees above the long-term mean.',
        'Nights above twenty degrees were counted as far north as {city}.',
        'The weather service expects the heat to return before the end of the season.',
      ],
    },
    {
      title: 'Wind and solar supply {n:51-78} percent of electricity for a whole month',
      lead: [
        'For the first time wind and solar power supplied {n:51-78} percent of electricity over a whole month.',
        'Batteries with {n:2-9} gigawatt hours covered the evening hours, and gas plants ran less than ever.',
        'Grid operators had to switch off wind farms on {n:3-9} days because lines were missing.',
      ],
    },
    {
      title: 'Glacier above {city} loses {n:2-9} metres of ice in one summer',
      lead: [
        'The glacier above {city} lost {n:2-9} metres of thickness this summer, more than in any year before.',
        'Scientists have measured it with stakes and drones since {n:1960-1995}.',
        'The lake at its foot is now targets by sensors that warn the valley.',
      ],
    },
    {
      title: 'Carbon emissions of shipping fall as freighters slow down',
      lead: [
        'Freighters that sail {n:10-22} percent slower emit almost a third less carbon dioxide, figures from {n:300-900} voyages show.',
        'A new charge on emissions has made the slow voyage the cheaper one.',
        'Perishable goods are the exception, and they now travel by rail more often.',
      ],
    },
    {
      title: 'Mangroves planted near {city} hold back the storm surge',
      lead: [
        'Mangroves planted {n:6-14} years ago near {city} reduced the height of last week\u2019s storm surge by a third.',
        'Villages behind the trees reported damage to {n:3-20} houses, those beside them to several hundred.',
        'The planting cost a tenth of a sea wall of the same length.',
      ],
    },
  ],
  background: [
    'Greenhouse gases stay in the air for decades, so today\u2019s emissions shape the climate of the next generation.',
    'Adaptation is cheaper than repair, by a factor of about four.',
    'Climate models have predicted the overall warming well; local extremes remain difficult.',
    'Warm air holds more water, which makes both drought and heavy rain more likely.',
    'Electricity grids need more lines and more storage as wind and solar power grow.',
    'Scientists warn that single seasons say little, and that the trend says enough.',
  ],
};
