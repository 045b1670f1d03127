// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title Reads the whole price state of a Uniswap V3 pool in one call.
/// @notice It is never deployed: an eth_call places its code at the pool's own address by a state override, so
/// that the storage it reads is the pool's. The declarations below therefore repeat the storage layout of
/// UniswapV3Pool (v3-core 1.0.1), slot for slot; the tail of each struct that is not read is left out.
contract V3PoolLens {
    struct Slot0 {
        uint160 sqrtPriceX96;
        int24 tick;
    }

    struct TickInfo {
        uint128 liquidityGross;
        int128 liquidityNet;
    }

    Slot0 private slot0; // slot 0
    uint256 private feeGrowthGlobal0X128; // slot 1
    uint256 private feeGrowthGlobal1X128; // slot 2
    uint256 private protocolFees; // slot 3
    uint128 private liquidityInRange; // slot 4
    mapping(int24 => TickInfo) private tickInfos; // slot 5
    mapping(int16 => uint256) private tickBitmap; // slot 6

    int24 private constant MAX_TICK = 887272;

    /// @param tickSpacing The pool's own tick spacing (an immutable of the pool, which its storage does not hold).
    /// @return sqrtPriceX96 The square root of token1 per token0, times 2^96; 0 when not initialised.
    /// @return tick The current tick.
    /// @return liquidity The liquidity in range.
    /// @return ticks Every initialised tick, ascending.
    /// @return liquidityGross The liquidity that refers to each tick; when it is gone, so is the tick.
    /// @return liquidityNet The liquidity added when each tick is crossed upwards, in the order of `ticks`.
    function read(int24 tickSpacing)
        external
        view
        returns (
            uint160 sqrtPriceX96,
            int24 tick,
            uint128 liquidity,
            int24[] memory ticks,
            uint128[] memory liquidityGross,
            int128[] memory liquidityNet
        )
    {
        sqrtPriceX96 = slot0.sqrtPriceX96;
        tick = slot0.tick;
        liquidity = liquidityInRange;
        ticks = initialisedTicks(tickSpacing);
        liquidityGross = new uint128[](ticks.length);
        liquidityNet = new int128[](ticks.length);
        for (uint256 i = 0; i < ticks.length; ++i) {
            TickInfo storage info = tickInfos[ticks[i]];
            liquidityGross[i] = info.liquidityGross;
            liquidityNet[i] = info.liquidityNet;
        }
    }

    /// @dev The array grows in place at the free memory pointer, so each bitmap word is loaded once. Nothing
    /// else may allocate memory until the pointer is moved past it; the mapping's slot is hashed in scratch space.
    function initialisedTicks(int24 tickSpacing) private view returns (int24[] memory ticks) {
        int24 lastWord = (MAX_TICK / tickSpacing) >> 8;
        int24 firstWord = (-MAX_TICK / tickSpacing) >> 8;
        uint256 end;
        assembly ("memory-safe") {
            ticks := mload(0x40)
            end := add(ticks, 0x20)
        }
        for (int24 word = firstWord; word <= lastWord; ++word) {
            uint256 bits = tickBitmap[int16(word)];
            for (uint256 bit = 0; bits != 0; ++bit) {
                if (bits & 0xff == 0) {
                    bits >>= 8;
                    bit += 7;
                    continue;
                }
                if (bits & 1 != 0) {
                    int24 value = ((word << 8) + int24(uint24(bit))) * tickSpacing;
                    assembly ("memory-safe") {
                        mstore(end, value)
                        end := add(end, 0x20)
                    }
                }
                bits >>= 1;
            }
        }
        assembly ("memory-safe") {
            mstore(ticks, shr(5, sub(sub(end, ticks), 0x20)))
            mstore(0x40, end)
        }
    }
}
