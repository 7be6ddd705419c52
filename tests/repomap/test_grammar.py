"""What is found in each language, with something broken in every file."""

from __future__ import annotations

import pytest

from aicx.repomap import grammar
from aicx.repomap.kinds import GRAMMARS
from aicx.repomap.symbols import SYNTAX_ERRORS, Outline

pytestmark = pytest.mark.needs("code")

# Language -> a file whose last definition is not finished.
FILES = {
    "python": '''
"""Counts apples."""
import os.path
from .basket import weigh, Basket as Bin
from orchard import *

LIMIT = 12

@cached
class Tree(Plant):
    """A tree."""
    HEIGHT = 3

    async def grow(self, by: int) -> None:
        def inner(): ...

def pick(tree):
    return [leaf for leaf in tree]

def broken(:
''',
    "javascript": """
import { weigh } from './basket';
export * from "../orchard/index.js";
const press = require('cider-press');
export const LIMIT = 12;
export const pick = async (tree) => tree.leaves;
class Tree extends Plant {
  grow() { const inner = () => 1; }
  #wither = () => 2;
}
function* walk() {}
module.exports.fall = function () {};
function broken( {
""",
    "typescript": """
import type { Basket } from '@/basket';
export interface Growing { grow(by: number): void }
export type Leaf = string;
export enum Kind { Apple }
export abstract class Tree<T> implements Growing {
  abstract rest(): void;
  grow(by: number) {}
}
export const pick = <T,>(tree: T): T => tree;
namespace Orchard { export function walk() {} }
function broken( {
""",
    "tsx": """
import React from 'react';
export function Tree(props: { height: number }) { return <div className="tree">{props.height}</div>; }
export const Leaf: React.FC = () => <span />;
function Broken( { return <div>;
""",
    "go": """
package orchard

import (
	"fmt"
	bin "example.org/orchard/basket"
)

const Limit = 12

var first, second = 1, 2

type Tree struct{ height int }

type Growing interface {
	Grow(by int) error
}

type Leaf int

func Pick(tree *Tree) {}

func (t *Tree) Grow(by int) error { return nil }

func (r Row[T]) Walk() {}

func Broken( {
""",
    "rust": """
use crate::basket::{self, Basket};
mod cellar;

pub const LIMIT: usize = 12;

pub struct Tree<T> { height: T }

pub enum Kind { Apple }

pub trait Growing { fn grow(&self); }

impl<T> Growing for Tree<T> { fn grow(&self) {} }

macro_rules! shake { () => {} }

pub fn pick() {}

mod shed { pub fn open() {} }

pub fn broken( {
""",
    "java": """
package org.orchard;

import org.orchard.basket.Basket;
import static org.orchard.Weights.weigh;

public class Tree<T> extends Plant {
    public static final int LIMIT = 12;

    Tree() {}

    @Override
    public void grow(int by) {}

    class Leaf {}
}

interface Growing { void grow(int by); }

enum Kind { APPLE }

record Pair(int left, int right) {}

class Broken { void fall( {
""",
    "c": """
#include <stdio.h>
#include "orchard/basket.h"

#define LIMIT 12
#define WEIGH(x) ((x) * 2)

typedef struct tree { int height; } tree_t;

struct leaf { int size; };

enum kind { APPLE };

int declared(int by);

static tree_t *plant(int height) { return 0; }

int pick(tree_t *tree)
{
    return 0;
}

int broken( {
""",
    "cpp": """
#include "basket.hpp"

namespace orchard {

class Tree : public Plant {
public:
    Tree();
    int grow(int by) const;
    static int count() { return 1; }
};

template <typename T> struct Row { T first; };

enum class Kind { Apple };

using Leaf = int;

}

int orchard::Tree::grow(int by) const { return by; }

bool operator<(const Tree& left, const Tree& right) { return true; }

int broken( {
""",
    "csharp": """
using System;
using Orchard.Baskets;

namespace Orchard.Trees;

public class Tree : Plant
{
    const int Limit = 12;
    public Tree() {}
    public int Height { get; set; }
    public void Grow(int by) {}
}

public struct Leaf {}

public interface IGrowing { void Grow(int by); }

public enum Kind { Apple }

public record Pair(int Left, int Right);

public class Broken { void Fall( {
""",
    "ruby": """
require 'orchard/basket'
require_relative '../cellar'

module Orchard
  class Tree < Plant
    LIMIT = 12

    def grow(by); end

    def self.plant; end
  end
end

def pick(tree)
end

class Broken
  def fall(
""",
    "php": r"""
<?php
namespace Orchard\Trees;

use Orchard\Baskets\Basket;
require_once 'cellar.php';

const LIMIT = 12;

abstract class Tree extends Plant
{
    const HEIGHT = 3;
    public function grow(int $by): void {}
}

interface Growing { function grow(int $by); }

trait Leafy { function rustle() {} }

enum Kind: string { case Apple = 'apple'; }

function pick($tree) {}

class Broken { function fall( {
""",
}
FOUND = {
    "python": """
        variable LIMIT, class Tree, field Tree.HEIGHT, method Tree.grow, function Tree.grow.inner,
        function pick
    """,
    "javascript": """
        variable LIMIT, function pick, class Tree, method Tree.grow, function Tree.grow.inner, method
        Tree.#wither, function walk, function fall
    """,
    "typescript": """
        interface Growing, method Growing.grow, type Leaf, enum Kind, class Tree, method Tree.rest,
        method Tree.grow, function pick, module Orchard, function Orchard.walk
    """,
    "tsx": """
        function Tree, function Leaf
    """,
    "go": """
        constant Limit, variable first, variable second, struct Tree, interface Growing, method
        Growing.Grow, type Leaf, function Pick, method Tree.Grow, method Row.Walk
    """,
    "rust": """
        constant LIMIT, struct Tree, enum Kind, trait Growing, method Growing.grow, method Tree.grow,
        macro shake, function pick, module shed, function shed.open
    """,
    "java": """
        class Tree, constant Tree.LIMIT, method Tree.Tree, method Tree.grow, class Tree.Leaf, interface
        Growing, method Growing.grow, enum Kind, class Pair
    """,
    "c": """
        macro LIMIT, macro WEIGH, type tree_t, struct tree, struct leaf, enum kind, declaration
        declared, function plant, function pick
    """,
    "cpp": """
        module orchard, class orchard.Tree, declaration orchard.Tree.Tree, declaration
        orchard.Tree.grow, method orchard.Tree.count, struct orchard.Row, enum orchard.Kind, type
        orchard.Leaf, method orchard.Tree.grow, function operator<
    """,
    "csharp": """
        module Orchard.Trees, class Tree, constant Tree.Limit, method Tree.Tree, property Tree.Height,
        method Tree.Grow, struct Leaf, interface IGrowing, method IGrowing.Grow, enum Kind, class Pair
    """,
    "ruby": """
        module Orchard, class Orchard.Tree, constant Orchard.Tree.LIMIT, method Orchard.Tree.grow,
        method Orchard.Tree.plant, method pick
    """,
    "php": r"""
        module Orchard\Trees, constant LIMIT, class Tree, constant Tree.HEIGHT, method Tree.grow,
        interface Growing, method Growing.grow, trait Leafy, method Leafy.rustle, enum Kind, function
        pick
    """,
}
IMPORTED = {
    "python": "os.path .basket orchard",
    "javascript": "./basket ../orchard/index.js cider-press",
    "typescript": "@/basket",
    "tsx": "react",
    "go": "fmt example.org/orchard/basket",
    "rust": "crate::basket::{self, Basket} cellar",
    "java": "org.orchard.basket.Basket org.orchard.Weights.weigh",
    "c": "<stdio.h> orchard/basket.h",
    "cpp": "basket.hpp",
    "csharp": "System Orchard.Baskets",
    "ruby": "orchard/basket ../cellar",
    "php": r"Orchard\Baskets\Basket cellar.php",
}


def outline(language: str) -> Outline:
    return grammar.outline(FILES[language].lstrip("\n").encode(), language)


def test_every_language_has_a_file_here() -> None:
    assert set(FILES) == set(GRAMMARS)


@pytest.mark.parametrize("language", FILES)
def test_definitions_before_a_syntax_error_are_found(language: str) -> None:
    found = [f"{symbol.kind} {symbol.qualified}" for symbol in outline(language).symbols]
    assert {" ".join(item.split()) for item in FOUND[language].split(",")} <= set(found), found


@pytest.mark.parametrize("language", FILES)
def test_imports_are_found(language: str) -> None:
    assert " ".join(item.source for item in outline(language).imports) == IMPORTED[language]


@pytest.mark.parametrize("language", FILES)
def test_a_syntax_error_is_told(language: str) -> None:
    assert outline(language).flaw == SYNTAX_ERRORS


@pytest.mark.parametrize("language", FILES)
def test_a_symbol_stands_on_the_line_of_its_name(language: str) -> None:
    lines = FILES[language].lstrip("\n").split("\n")
    for symbol in outline(language).symbols:
        assert symbol.name.split(".")[-1] in lines[symbol.line - 1], symbol


def test_a_symbol_ends_where_its_body_does() -> None:
    [pick] = [symbol for symbol in outline("c").symbols if symbol.name == "pick"]
    assert (pick.line, pick.end_line) == (17, 20)


def test_names_inside_a_function_are_local() -> None:
    assert [symbol.name for symbol in outline("python").symbols if symbol.local] == ["inner"]


def test_a_definition_is_found_once() -> None:
    for language in FILES:
        found = [(symbol.line, symbol.qualified, symbol.kind) for symbol in outline(language).symbols]
        assert len(found) == len(set(found)), language


def test_text_that_is_no_code_gives_nothing() -> None:
    assert grammar.outline(b"\xff\xfe\x01 (((( }}}} " * 50, "python").symbols == ()


@pytest.mark.slow
def test_deeply_nested_text_does_not_overflow() -> None:
    assert grammar.outline(b"(" * 20_000, "javascript").flaw == SYNTAX_ERRORS


def test_a_table_in_disguise_is_cut_and_says_so() -> None:
    found = grammar.outline(b"\n".join(b"def f%d(): ..." % number for number in range(4000)), "python")
    assert len(found.symbols) == grammar.MAX_SYMBOLS
    assert found.flaw is not None
    assert "3000" in found.flaw


# Comments -----------------------------------------------------------------------------------------------------------

COMMENTED = {
    "python": """
# Copyright of Ada.
'''Waters the beds.'''
def pour():
    '''Tips the can.

    Slowly.'''
""",
    "go": """
// Copyright of Ada.

// Package beds waters the beds.
package beds

// Pour tips the can.
func Pour() {}
""",
    "typescript": """
/* Copyright of Ada. */
/** Waters the beds. */
import x from 'y';
/**
 * Tips the can.
 */
@once()
class Can {}
""",
    "rust": """
// Copyright of Ada.
//! Waters the beds.

/// Tips the can.
#[inline]
pub fn pour() {}
""",
    "ruby": """
# frozen_string_literal: true

# Copyright of Ada.

# Waters the beds.
class Bed
  # Tips the can.
  def pour; end
end
""",
    "csharp": """
// Copyright of Ada.

// Waters the beds.
using System;
/// <summary>Tips the can.</summary>
class Can {}
""",
}


@pytest.mark.parametrize("language", COMMENTED)
def test_comments_at_the_top_and_above_a_name_are_taken_in(language: str) -> None:
    notes = grammar.outline(COMMENTED[language].lstrip("\n").encode(), language).notes
    assert "aters the beds" in notes
    assert "ips the can" in notes


@pytest.mark.parametrize("language", COMMENTED)
def test_a_comment_about_rights_describes_nothing(language: str) -> None:
    assert "Copyright" not in grammar.outline(COMMENTED[language].lstrip("\n").encode(), language).notes
