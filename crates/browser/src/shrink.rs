//! Small pictures for documents: 256 colours instead of millions.
//!
//! A page has few colours and many shades of them at the edges of letters. The most frequent colours stay as they are; one
//! that lies close to such a one is drawn as it.

use std::collections::HashMap;
use std::io::Cursor;

use anyhow::{Result, ensure};
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter};

type Colour = [u8; 3];

/// Longest palette of a PNG.
const COLOURS_MAX: usize = 256;

/// The same picture as a PNG with a palette.
///
/// # Errors
/// It is no PNG of the kind that Chromium makes: eight bits for each of red, green and blue.
pub fn shrink(picture: &[u8]) -> Result<Vec<u8>> {
    let mut reader = Decoder::new(Cursor::new(picture)).read_info()?;
    let (width, height, colour) = (reader.info().width, reader.info().height, reader.output_color_type());
    ensure!(colour == (ColorType::Rgb, BitDepth::Eight), "a picture of {colour:?}");
    let mut bytes = vec![0; reader.output_buffer_size().unwrap_or_default()];
    reader.next_frame(&mut bytes)?;
    let (pixels, _) = bytes.as_chunks::<3>();
    let palette = palette(pixels);
    let indices = indices(pixels, &palette);
    encode(width, height, &palette, &indices)
}

fn encode(width: u32, height: u32, palette: &[Colour], indices: &[u8]) -> Result<Vec<u8>> {
    let mut small = vec![];
    let mut encoder = Encoder::new(&mut small, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.as_flattened());
    encoder.set_compression(Compression::High);
    // A palette's numbers have no neighbours that a difference would tell something about.
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(indices)?;
    writer.finish()?;
    Ok(small)
}

/// The most frequent colours, each some way from those before; as close as they all fit.
fn palette(pixels: &[Colour]) -> Vec<Colour> {
    let mut counts: HashMap<Colour, u32> = HashMap::new();
    pixels.iter().for_each(|pixel| *counts.entry(*pixel).or_default() += 1);
    let mut colours: Vec<(Colour, u32)> = counts.into_iter().collect();
    // The colour itself decides between equals, so that the same page gives the same file.
    colours.sort_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
    let tries = (0..).map(|step: u32| spread(&colours, step * step));
    tries.into_iter().find(|chosen| chosen.len() <= COLOURS_MAX).unwrap_or_default()
}

fn spread(colours: &[(Colour, u32)], apart: u32) -> Vec<Colour> {
    let mut chosen: Vec<Colour> = vec![];
    for (colour, _) in colours {
        if chosen.len() <= COLOURS_MAX && chosen.iter().all(|other| distance(*other, *colour) > apart) {
            chosen.push(*colour);
        }
    }
    chosen
}

fn indices(pixels: &[Colour], palette: &[Colour]) -> Vec<u8> {
    let mut known: HashMap<Colour, u8> = HashMap::new();
    pixels.iter().map(|pixel| *known.entry(*pixel).or_insert_with(|| nearest(*pixel, palette))).collect()
}

fn nearest(colour: Colour, palette: &[Colour]) -> u8 {
    let best = (0u8..=u8::MAX).zip(palette).min_by_key(|(_, held)| distance(**held, colour));
    best.map_or(0, |(index, _)| index)
}

/// The square of how far two colours lie apart.
fn distance(one: Colour, other: Colour) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(width: u32, height: u32, pixels: &[Colour]) -> Vec<u8> {
        let mut picture = vec![];
        let mut encoder = Encoder::new(&mut picture, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
        picture
    }

    fn read(picture: &[u8]) -> Vec<Colour> {
        let mut decoder = Decoder::new(Cursor::new(picture));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        bytes.as_chunks::<3>().0.to_vec()
    }

    #[test]
    fn few_colours_stay_exactly_as_they_are() {
        let pixels: Vec<Colour> = (0..=255).map(|shade| [shade, 255 - shade, 7]).collect();
        assert_eq!(read(&shrink(&rgb(16, 16, &pixels)).unwrap()), pixels);
    }

    #[test]
    fn of_many_colours_none_strays_far() {
        let pixels: Vec<Colour> = (0..=255).flat_map(|red| [0, 60, 120, 180].map(|blue| [red, 128, blue])).collect();
        let read = read(&shrink(&rgb(32, 32, &pixels)).unwrap());
        let worst = read.iter().zip(&pixels).map(|(one, other)| distance(*one, *other)).max();
        assert!(worst.is_some_and(|worst| worst <= 16), "{worst:?}");
    }
}
