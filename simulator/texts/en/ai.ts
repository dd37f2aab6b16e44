import type { TopicTexts } from '../topic.ts';

export const ai: TopicTexts = {
  name: 'AI models',
  stories: [
    {
      title: '{project}, a language model of {n:3-14} billion parameters, runs on a laptop',
      lead: [
        'Researchers at {company} released {project}, an open-weight language model with {n:3-14} billion parameters.',
        'Quantised to four bits it answers at reading speed on a laptop without a graphics card.',
        'On long documents the model still invents quotations, the model card admits, and it should not be used for them.',
      ],
    },
    {
      title: 'Prompt injection: hidden text on a web page steers an AI assistant',
      lead: [
        'White letters on a white page were enough to make an AI assistant send a calendar to a stranger, {name} showed.',
        'The language model cannot tell the text it was given to summarise from an instruction.',
        'The proposed defence is old-fashioned: a model that reads untrusted text gets no tools.',
      ],
    },
    {
      title: 'Small models do well when they judge one thing at a time, study finds',
      lead: [
        'A model with {n:2-8} billion parameters agreed with human judges as often as one a hundred times its size when it was asked one narrow question.',
        'The study by {name} compared {n:11-40} language models on {n:2-9},000 labelled news articles.',
        'Asked for a score and a reason in structured output, the models became both better and cheaper.',
      ],
    },
    {
      title: 'Training data for speech models: {city} archive opens {n:2-9},000 hours of radio',
      lead: [
        'The sound archive of {city} has published {n:2-9},000 hours of regional radio as training data for speech recognition.',
        'Neural networks trained on it made {n:18-42} percent fewer mistakes with dialects.',
        'Speakers or their heirs can have recordings removed, and more than a hundred have asked.',
      ],
    },
    {
      title: 'What an AI benchmark measures when the answers are on the internet',
      lead: [
        'Rewording the questions of a popular benchmark lowered the scores of all {n:9-22} machine learning models that {name} tested.',
        'The drop was largest for the model that had led the table.',
        'The authors keep half of their questions secret and replace a tenth of them each month.',
      ],
    },
  ],
  background: [
    'Language models predict text; whether it is true is another question.',
    'The cost of inference is now dominated by memory bandwidth rather than by arithmetic.',
    'Results in machine learning are hard to compare, because training data is rarely published.',
    'Researchers advise to keep a person in the loop wherever an AI decision cannot be undone.',
    'Structured output makes the answers of a model easier to check, not more correct.',
    'Critics of artificial intelligence point out that most evaluations are carried out by the makers themselves.',
  ],
};
