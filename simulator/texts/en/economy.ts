import type { TopicTexts } from '../topic.ts';

export const economy: TopicTexts = {
  name: 'Economy',
  stories: [
    {
      title: 'Central bank leaves interest rate at {n:1-4}.{n2:1-9} percent',
      lead: [
        'The central bank left its interest rate unchanged at {n:1-4}.{n2:1-9} percent, as most economists had expected.',
        'Inflation has fallen for the {n:3-8}th month in a row but remains above the target.',
        'A first cut could come in {month}, analysts said.',
      ],
    },
    {
      title: '{company} to build factory in {city}, creating {n:300-900} jobs',
      lead: [
        '{company} will build a factory in {city} and create {n:300-900} jobs over the next three years.',
        'The region competed with {n:3-9} others and pays part of the new railway siding.',
        'Unions welcomed the plan and asked for a collective agreement from the first day.',
      ],
    },
    {
      title: 'Exports rise for the third month while orders from abroad weaken',
      lead: [
        'Exports rose by {n:1-4}.{n2:1-9} percent, the third increase in a row, the statistics office reported.',
        'New orders from abroad fell at the same time, which points to a weaker autumn.',
        'Machine builders and chemical companies contributed most to the growth.',
      ],
    },
    {
      title: 'Small shops in {city} share one delivery van, and their costs',
      lead: [
        '{n:14-40} shops in {city} share one electric van and deliver on the same day.',
        'Each delivery costs them about a third of what a parcel service asks.',
        'The trade association wants to copy the model in {n:5-12} other towns.',
      ],
    },
    {
      title: 'Rents grow faster than wages for the {n:4-9}th year',
      lead: [
        'Rents rose by {n:4-9} percent last year, wages by less than three.',
        'New building permits fell to the lowest number in {n:11-20} years because loans are expensive.',
        'Economists call for faster permits and smaller flats.',
      ],
    },
  ],
  background: [
    'Household consumption remains the main support of growth.',
    'Interest rates take a year or more to show their full effect on prices.',
    'Economists of the chamber of commerce expect growth of about one percent this year.',
    'Figures of this kind are adjusted for the season and revised later.',
    'Companies complain about a lack of skilled workers more than about a lack of orders.',
    'Wages and prices have moved apart in recent years, and both sides of industry feel it.',
  ],
};
