import type { TopicTexts } from '../topic.ts';

export const cooking: TopicTexts = {
  name: 'Cooking',
  stories: [
    {
      title: 'A slow tomato soup for cold evenings',
      lead: [
        'Tomatoes roasted for {n:40-70} minutes with garlic and thyme make a soup that needs neither cream nor sugar.',
        'Cut them in half, salt them early and let the edges darken before they go into the pot.',
        'A spoon of white miso, stirred in at the end, gives depth without tasting of miso.',
      ],
    },
    {
      title: 'Bread with {n:65-80} percent water: how to handle a wet dough',
      lead: [
        'A dough with {n:65-80} percent water sticks to everything until you stop kneading it and start folding it.',
        'Four sets of folds, half an hour apart, build enough strength for an open crumb.',
        'Bake it in a closed pot so that the steam stays with the loaf for the first twenty minutes.',
      ],
    },
    {
      title: 'Pickles in a day: cucumbers, ginger and patience',
      lead: [
        'Salt draws the water out of the cucumbers, vinegar goes in, and by the next evening they are pickles.',
        'The recipe comes from {name}, whose family in {city} has sold them at the market for {n:20-60} years.',
        'Ginger, a strip of kelp and a dried chilli are all the spice they need.',
      ],
    },
    {
      title: 'What to do with too many courgettes: {n:5-9} dinners',
      lead: [
        'Grated and salted, courgettes lose half their volume and become fritters, fillings and cakes.',
        'Our {n:5-9} dinners start with the simplest: fried slowly in olive oil until they melt onto pasta.',
        'The large ones are better stuffed with rice and herbs and baked for an hour.',
      ],
    },
    {
      title: 'The restaurant in {city} that cooks only what the morning brings',
      lead: [
        'There is no menu at the little restaurant by the harbour of {city}; the chef cooks what the boats and gardens bring.',
        'On our visit that meant mackerel with rhubarb, a broth of pea pods and warm barley with butter.',
        'Dinner for two costs about {n:60-110}, and the kitchen closes when the food is gone.',
      ],
    },
  ],
  background: [
    'Taste before you salt: liquids reduce and the salt does not.',
    'A heavy pan matters more than an expensive one.',
    'Fresh herbs go in last; dried ones want to cook along from the beginning.',
    'Most dishes are better on the second day, if there is anything left.',
    'Good cooks buy what is in season and decide in the kitchen what to make of it.',
    'Recipes are suggestions; ovens and tomatoes differ.',
  ],
};
